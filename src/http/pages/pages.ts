// The pages that the console's build made. The web console: its files without credential, its figures for keys with the
// scope `metrics:read`, and for every key its own name and scopes. And the API reference at /docs, made from the
// OpenAPI document (console/reference).

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Activity, KeyInfo } from "../../contract/activity.ts";
import type { KeyRow } from "../../store/store.ts";
import { callerOf } from "../checks.ts";
import type { Router } from "../router.ts";
import { addFile, addFolder, readFile, redirectTo, staticFile } from "./static-files.ts";

export interface ConsoleOptions {
	/** The figures for keys with the scope `metrics:read`. */
	activity: () => Promise<Activity>;
	/** How long after it was sent a create may still be stored. */
	createSettlesMs: number;
	/** The folder of the built pages. What is missing there is not served. */
	pagesFolder: string;
}

export function addConsole(router: Router, { activity, createSettlesMs, pagesFolder }: ConsoleOptions): void {
	const folder = join(pagesFolder, "console");
	router.add("/", { GET: redirectTo("console", 302) });
	if (addFolder(router, "/console", folder)) {
		addFile(router, "/console/", readFile(join(folder, "index.html")));
		// Browsers ask for it on pages without an icon of their own, such as JSON.
		addFile(router, "/favicon.ico", readFile(join(folder, "icon.svg")));
	}
	router.add("/console/activity", {
		GET: {
			access: "metrics:read",
			handler: async (exchange) =>
				exchange.header("cache-control", "no-store").sendJson(JSON.stringify(await activity())),
		},
	});
	router.add("/console/key", {
		GET: {
			handler: (exchange) =>
				exchange
					.header("cache-control", "no-store")
					.sendJson(JSON.stringify(infoOf(callerOf(exchange), createSettlesMs))),
		},
	});
}

function infoOf({ id, name, scopes, secret: { expiresAtMs } }: KeyRow, createSettlesMs: number): KeyInfo {
	return { id, name, scopes, ...(expiresAtMs !== undefined && { expiresAtMs }), createSettlesMs };
}

/** Serves openapi.json. The configured address comes first among its servers. */
export function addOpenApi(router: Router, baseUrl: string | undefined): void {
	const file = readFileSync(new URL("../../../openapi.json", import.meta.url), "utf8");
	const configured = `    {
      "url": ${JSON.stringify(baseUrl)},
      "description": "The configured address of this service"
    },
`;
	const text = baseUrl === undefined ? file : file.replace(/^ {2}"servers": \[\n/m, (start) => start + configured);
	addFile(router, "/openapi.json", () => staticFile("openapi.json", Buffer.from(text)), {
		"access-control-allow-origin": "*",
	});
}

/** @param pagesFolder where the build wrote the pages; without them, /docs says so */
export function addDocsPage(router: Router, pagesFolder: string): void {
	// The page names its files relative to /docs, so that it works below any prefix that a proxy adds.
	if (addFolder(router, "/docs", join(pagesFolder, "docs"))) router.add("/docs/", { GET: redirectTo("../docs", 308) });
}
