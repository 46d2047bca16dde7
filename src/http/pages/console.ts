// The web console: its built files without credential, and its figures for keys with the scope `metrics:read`.

import { join } from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "../../contract/errors.ts";
import { addPath } from "../paths.ts";
import { pagePolicy } from "../security-headers.ts";
import { sendJson } from "../send-json.ts";
import { addFile, addFolder } from "./static-files.ts";

export interface ConsoleOptions {
	/** The figures for keys with the scope `metrics:read`. */
	activity: () => Promise<object>;
	/** The folder of the built console. If it is missing, the console is not served. */
	consoleFolder: string;
}

export function addConsole(app: FastifyInstance, { activity, consoleFolder }: ConsoleOptions): void {
	const headers = pagePolicy("'self'");
	const isBuilt = addFolder(app, { url: "/console", folder: consoleFolder, headers });
	if (!isBuilt) addPath(app, "/console", [{ method: "GET", config: { access: "open" }, handler: refuseNotBuilt }]);
	// Relative, so that it works below any prefix that a proxy adds.
	const toConsole = async (_request: FastifyRequest, reply: FastifyReply) => reply.redirect("console", 302);
	addPath(app, "/", [{ method: "GET", config: { access: "open" }, handler: toConsole }]);
	// Browsers ask for it on pages without an icon of their own, such as JSON.
	if (isBuilt) addFile(app, "/favicon.ico", join(consoleFolder, "icon.svg"), headers);
	addPath(app, "/console/activity", [
		{
			method: "GET",
			config: { access: "metrics:read" },
			handler: async (_request, reply) =>
				sendJson(reply.header("cache-control", "no-store"), JSON.stringify(await activity())),
		},
	]);
}

function refuseNotBuilt(): never {
	throw new ApiError("route_not_found", "the console is not built: run npm run build");
}
