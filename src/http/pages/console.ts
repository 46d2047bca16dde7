// The web console: its built files without credential, its figures for keys with the scope `metrics:read`, and for
// every key its own name and scopes.

import { join } from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { KeyInfo } from "../../contract/activity.ts";
import { ApiError } from "../../contract/errors.ts";
import type { KeyRow } from "../../store/store.ts";
import { callerOf } from "../checks.ts";
import { addPath } from "../paths.ts";
import { pagePolicy } from "../security-headers.ts";
import { sendJson } from "../send-json.ts";
import { addFile, addFolder, readFile } from "./static-files.ts";

export interface ConsoleOptions {
	/** The figures for keys with the scope `metrics:read`. `known`: the nodes whose history the caller has. */
	activity: (known: string[]) => Promise<object>;
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
	if (isBuilt) addFile(app, "/favicon.ico", readFile(join(consoleFolder, "icon.svg")), headers);
	addPath(app, "/console/activity", [
		{
			method: "GET",
			config: { access: "metrics:read" },
			handler: async (request, reply) => {
				const known = new URL(request.url, "http://localhost").searchParams.get("known")?.split(",") ?? [];
				return sendJson(reply.header("cache-control", "no-store"), JSON.stringify(await activity(known)));
			},
		},
	]);
	addPath(app, "/console/key", [
		{
			method: "GET",
			config: {},
			handler: async (request, reply) =>
				sendJson(reply.header("cache-control", "no-store"), JSON.stringify(infoOf(callerOf(request)))),
		},
	]);
}

function infoOf({ name, scopes, secret: { expiresAtMs } }: KeyRow): KeyInfo {
	return { name, scopes, ...(expiresAtMs !== undefined && { expiresAtMs }) };
}

function refuseNotBuilt(): never {
	throw new ApiError("route_not_found", "the console is not built: run npm run build");
}
