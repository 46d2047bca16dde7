// The web console: its built files for everybody, and what it watches for keys with the scope `metrics:read`.

import type { FastifyInstance } from "fastify";
import { ApiError } from "../contract/errors.ts";
import type { AppOptions } from "./app.ts";
import { requireScope } from "./auth.ts";
import { addPath } from "./paths.ts";
import { sendJson } from "./send-json.ts";
import { addFolder } from "./static-files.ts";

/** Only what the service itself serves, and no script or style inside the page. */
const policy =
	"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export function addConsole(app: FastifyInstance, { activity, consoleFolder }: AppOptions): void {
	const headers = { "content-security-policy": policy };
	const isBuilt = addFolder(app, { url: "/console", folder: consoleFolder, headers });
	if (!isBuilt) addPath(app, "/console", [{ method: "GET", handler: refuse }]);
	addPath(app, "/console/activity", [
		{
			method: "GET",
			onRequest: (request, _reply, done) => {
				requireScope(request.caller, "metrics:read");
				done();
			},
			handler: async (_request, reply) =>
				sendJson(reply.header("cache-control", "no-store"), JSON.stringify(await activity())),
		},
	]);
}

function refuse(): never {
	throw new ApiError("route_not_found", "the console is not built: npm run build makes it");
}
