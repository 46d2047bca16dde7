// The web console: its built files for everybody, and what it watches for keys with the scope `metrics:read`.

import type { FastifyInstance } from "fastify";
import { ApiError } from "../../contract/errors.ts";
import { addPath } from "../paths.ts";
import { pagePolicy } from "../security-headers.ts";
import { sendJson } from "../send-json.ts";
import { addFolder } from "./static-files.ts";

export interface ConsoleOptions {
	/** What keys with the scope `metrics:read` may watch. */
	activity: () => Promise<object>;
	/** Where the built console is; not served where it is missing. */
	consoleFolder: string;
}

export function addConsole(app: FastifyInstance, { activity, consoleFolder }: ConsoleOptions): void {
	const isBuilt = addFolder(app, { url: "/console", folder: consoleFolder, headers: pagePolicy("'self'") });
	if (!isBuilt) addPath(app, "/console", [{ method: "GET", config: { access: "open" }, handler: refuse }]);
	addPath(app, "/console/activity", [
		{
			method: "GET",
			config: { access: "metrics:read" },
			handler: async (_request, reply) =>
				sendJson(reply.header("cache-control", "no-store"), JSON.stringify(await activity())),
		},
	]);
}

function refuse(): never {
	throw new ApiError("route_not_found", "the console is not built: npm run build makes it");
}
