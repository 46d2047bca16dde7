// The web console: its built files without credential, and its figures for keys with the scope `metrics:read`.

import type { FastifyInstance } from "fastify";
import { ApiError } from "../../contract/errors.ts";
import { addPath } from "../paths.ts";
import { pagePolicy } from "../security-headers.ts";
import { sendJson } from "../send-json.ts";
import { addFolder } from "./static-files.ts";

export interface ConsoleOptions {
	/** The figures for keys with the scope `metrics:read`. */
	activity: () => Promise<object>;
	/** The folder of the built console. If it is missing, the console is not served. */
	consoleFolder: string;
}

export function addConsole(app: FastifyInstance, { activity, consoleFolder }: ConsoleOptions): void {
	const isBuilt = addFolder(app, { url: "/console", folder: consoleFolder, headers: pagePolicy("'self'") });
	if (!isBuilt) addPath(app, "/console", [{ method: "GET", config: { access: "open" }, handler: refuseNotBuilt }]);
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
