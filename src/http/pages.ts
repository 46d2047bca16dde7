// The files that anyone may read: the console and the API reference at /docs, both from `npm run build`, and the
// OpenAPI document. Each file is read once, kept in memory both plain and compressed, and sent with an ETag.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join, sep } from "node:path";
import { gzipSync } from "node:zlib";
import { acceptsGzip, entityTag, matchesTag } from "./content.ts";
import type { Exchange, RouteRules } from "./exchange.ts";
import { pageHeaders } from "./reply-headers.ts";
import type { Router } from "./router.ts";

const contentTypes: Record<string, string> = {
	".html": "text/html; charset=utf-8",
	".js": "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml",
	".json": "application/json",
};

/** The link from the reference to its OpenAPI document (RFC 8631), relative like all addresses of the pages. */
const docsHeaders = { ...pageHeaders, link: '<openapi.json>; rel="service-desc"; type="application/json"' };

/** @param pagesFolder the folder of the built pages: missing pages are not served */
export function addPages(router: Router, baseUrl: string | undefined, pagesFolder: string): void {
	addOpenApi(router, baseUrl);
	// Both pages name their files relative to their own path, so that they work below any prefix that a proxy adds.
	addFolder(router, "/docs", join(pagesFolder, "docs"), docsHeaders);
	router.add("/", { GET: redirectTo("console", 302) });
	const folder = join(pagesFolder, "console");
	// Browsers request this path for documents that name no icon, such as JSON.
	if (addFolder(router, "/console", folder)) addFile(router, "/favicon.ico", join(folder, "icon.svg"));
}

/** Serves openapi.json, with the configured address first among its servers. */
function addOpenApi(router: Router, baseUrl: string | undefined): void {
	const file = readFileSync(new URL("../../openapi.json", import.meta.url), "utf8");
	const configured = JSON.stringify({ url: baseUrl, description: "The configured address of this service" });
	const text = baseUrl === undefined ? file : file.replace('"servers": [', (start) => `${start}${configured},`);
	addFile(router, "/openapi.json", "openapi.json", Buffer.from(text), { "access-control-allow-origin": "*" });
}

/** Serves a folder's files below `url`, and its index.html at `url`. @returns whether the folder was built */
function addFolder(router: Router, url: string, folder: string, indexHeaders = pageHeaders): boolean {
	if (!existsSync(join(folder, "index.html"))) return false;
	const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => extname(name) !== "");
	for (const name of names) {
		const path = join(folder, name);
		if (name === "index.html") addFile(router, url, path, readFileSync(path), indexHeaders);
		else addFile(router, `${url}/${name.split(sep).join("/")}`, path);
	}
	router.add(`${url}/`, { GET: redirectTo(`..${url}`, 308) });
	return true;
}

/** @param headers replace the service's headers of the same name */
function addFile(router: Router, url: string, path: string, plain = readFileSync(path), headers = pageHeaders): void {
	const contentType = contentTypes[extname(path)] ?? "application/octet-stream";
	// A file with a hash in its name is immutable.
	const cacheControl = /-[\w-]{8,}\.\w+$/.test(path) ? "public, max-age=31536000, immutable" : "no-cache";
	/** Created at the first request. */
	let made: { gzip: Buffer; tags: Record<"gzip" | "plain", string> } | undefined;

	function handler(exchange: Exchange): void {
		made ??= { gzip: gzipSync(plain, { level: 9 }), tags: { plain: entityTag(plain), gzip: entityTag(plain, "gz") } };
		const { gzip, tags } = made;
		const requested = exchange.request.headers;
		const isPacked = acceptsGzip(requested);
		// The plain and the compressed file differ in their bytes, and so in their strong tags (RFC 9110 §8.8.3.3).
		const etag = isPacked ? tags.gzip : tags.plain;
		exchange.headers(headers).header("etag", etag).header("cache-control", cacheControl).vary("Accept-Encoding");
		if (matchesTag(requested["if-none-match"], etag)) return void exchange.sendStatus(304);
		exchange.header("content-type", contentType);
		if (isPacked) exchange.header("content-encoding", "gzip").send(gzip);
		else exchange.send(plain);
	}

	router.add(url, { GET: { access: "open", handler } });
}

/** Redirects browsers to a relative path, which works below any prefix that a proxy adds. */
function redirectTo(location: string, status: 302 | 308): RouteRules {
	return {
		access: "open",
		handler(exchange) {
			exchange.status = status;
			exchange.header("location", location).send("");
		},
	};
}
