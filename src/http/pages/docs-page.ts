// The API reference at /docs: Scalar's page for /openapi.json. All its files come from this server.

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { openApiDocument } from "../../contract/openapi.ts";
import { type Operation, operations } from "../../contract/operations.ts";
import { addPath } from "../paths.ts";
import { pagePolicy } from "../security-headers.ts";
import { type StaticFile, sendFile, staticFile } from "./static-files.ts";

/** The reference adds a style sheet and style attributes at run time. No hash or nonce can allow attributes. */
const headers = pagePolicy("'self' 'unsafe-inline'");

export function addDocsPage(app: FastifyInstance): void {
	const page = staticFile("docs.html", Buffer.from(pageText()));
	const start = staticFile("start.js", readFileSync(new URL("./docs-start.js", import.meta.url)));
	addFile(app, "/docs", () => page);
	addFile(app, "/docs/start.js", () => start);
	addFile(app, "/docs/scalar.js", lazyBundle());
	// The page names its files relative to /docs, so that it works below any prefix that a proxy adds.
	addPath(app, "/docs/", [
		{
			method: "GET",
			config: { access: "open" },
			handler: async (_request, reply) => reply.redirect("../docs", 308),
		},
	]);
}

function addFile(app: FastifyInstance, url: string, file: () => StaticFile | Promise<StaticFile>): void {
	const handler = async (request: FastifyRequest, reply: FastifyReply) =>
		sendFile(request, reply, await file(), headers);
	addPath(app, url, [{ method: "GET", config: { access: "open" }, handler }]);
}

/** Built on the first request, so that it does not delay the start. */
function lazyBundle(): () => Promise<StaticFile> {
	let bundle: Promise<StaticFile> | undefined;
	return () => {
		bundle ??= makeBundle().catch((error) => {
			bundle = undefined;
			throw error;
		});
		return bundle;
	};
}

async function makeBundle(): Promise<StaticFile> {
	const [file] = (await once(
		new Worker(new URL(`./docs-bundle${extname(import.meta.url)}`, import.meta.url)),
		"message",
	)) as [StaticFile];
	return { ...file, plain: Buffer.from(file.plain), gzip: Buffer.from(file.gzip) };
}

/** Without scripts, the page shows the deprecations, to which replies link, and a link to the document. */
function pageText(): string {
	const { title, summary } = openApiDocument().info;
	return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} API reference</title>
<meta name="description" content="${summary}">
<link rel="icon" href="data:,">
<link rel="service-desc" type="application/json" href="openapi.json">
<script src="docs/scalar.js" defer></script>
<script src="docs/start.js" defer></script>
</head>
<body>
<div id="reference"></div>
<noscript>
<h1>${title}</h1>
<p>${summary} The whole interface is in <a href="openapi.json">openapi.json</a>.</p>
${deprecations()}
</noscript>
</body>
</html>
`;
}

function deprecations(): string {
	return Object.entries<Operation>(operations)
		.filter(([, { deprecation }]) => deprecation)
		.map(([name, { method, path, description }]) => `<p>${name} (${method} ${path}): ${description}</p>`)
		.join("\n");
}
