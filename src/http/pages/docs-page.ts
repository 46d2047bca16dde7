// The API reference at /docs: a page made from the OpenAPI document, its style sheet, its two scripts and its icon. It
// loads nothing else, and calls this server only.

import { readFileSync } from "node:fs";
import { openApiDocument } from "../../contract/openapi.ts";
import type { Router } from "../router.ts";
import { pagePolicy } from "../security-headers.ts";
import { referencePage } from "./reference/page.ts";
import { addFile, redirectTo, staticFile } from "./static-files.ts";

const headers = pagePolicy("'self'");
const files = {
	"reference.css": [
		"./tokens.css",
		"./reference/page.css",
		"./reference/text.css",
		"./reference/operation.css",
		"./reference/try-form.css",
		"./reference/narrow.css",
	],
	"reference.js": ["./reference/reference.js"],
	"send.js": ["./reference/send.js"],
	"mark.svg": ["./reference/mark.svg"],
};

export function addDocsPage(router: Router, baseUrl: string | undefined): void {
	const page = () => staticFile("docs.html", Buffer.from(referencePage(openApiDocument(baseUrl))));
	addFile(router, "/docs", page, headers);
	for (const [name, sources] of Object.entries(files)) {
		const text = Buffer.concat(sources.map((path) => readFileSync(new URL(path, import.meta.url))));
		addFile(router, `/docs/${name}`, () => staticFile(name, text), headers);
	}
	// The page names its files relative to /docs, so that it works below any prefix that a proxy adds.
	router.add("/docs/", { GET: redirectTo("../docs", 308) });
}
