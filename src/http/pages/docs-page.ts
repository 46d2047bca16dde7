// The API reference at /docs: the files that the console's build made from the OpenAPI document (console/reference).

import { existsSync } from "node:fs";
import { join } from "node:path";
import { pagePolicy } from "../reply-headers.ts";
import type { Router } from "../router.ts";
import { addFile, readFile, redirectTo, refuseNotBuilt } from "./static-files.ts";

const headers = pagePolicy("'self'");
const files = ["reference.css", "reference.js", "send.js", "mark.svg"];

/** @param pagesFolder where the build wrote the pages; without them, /docs says so */
export function addDocsPage(router: Router, pagesFolder: string): void {
	const folder = join(pagesFolder, "docs");
	if (!existsSync(join(folder, "index.html"))) {
		router.add("/docs", { GET: { access: "open", handler: refuseNotBuilt } });
		return;
	}
	addFile(router, "/docs", readFile(join(folder, "index.html")), headers);
	for (const name of files) addFile(router, `/docs/${name}`, readFile(join(folder, name)), headers);
	// The page names its files relative to /docs, so that it works below any prefix that a proxy adds.
	router.add("/docs/", { GET: redirectTo("../docs", 308) });
}
