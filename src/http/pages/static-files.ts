// Static files, such as the console's: read once, kept in memory plain and compressed, sent with an ETag.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join, sep } from "node:path";
import { gzipSync } from "node:zlib";
import { ApiError } from "../../contract/errors.ts";
import type { Exchange, RouteRules } from "../exchange.ts";
import { pageHeaders } from "../reply-headers.ts";
import { acceptsGzip, entityTag, matchesTag } from "../request-headers.ts";
import type { Router } from "../router.ts";

const contentTypes: Record<string, string> = {
	".html": "text/html; charset=utf-8",
	".js": "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml",
	".json": "application/json",
};

export interface StaticFile {
	contentType: string;
	plain: Buffer;
	gzip: Buffer;
	etag: string;
	/** A file with a hash in its name is immutable. */
	cacheControl: string;
}

export function staticFile(name: string, plain: Buffer): StaticFile {
	return {
		contentType: contentTypes[extname(name)] ?? "application/octet-stream",
		plain,
		gzip: gzipSync(plain, { level: 9 }),
		etag: entityTag(plain),
		cacheControl: /-[\w-]{8,}\.\w+$/.test(name) ? "public, max-age=31536000, immutable" : "no-cache",
	};
}

/** @param headers replace the service's headers of the same name */
function sendFile(exchange: Exchange, file: StaticFile, headers: Record<string, string>): void {
	const requested = exchange.request.headers;
	exchange
		.headers(headers)
		.header("etag", file.etag)
		.header("cache-control", file.cacheControl)
		.vary("Accept-Encoding");
	if (matchesTag(requested["if-none-match"], file.etag)) return void exchange.sendStatus(304);
	exchange.header("content-type", file.contentType);
	if (acceptsGzip(requested)) exchange.header("content-encoding", "gzip").send(file.gzip);
	else exchange.send(file.plain);
}

/** Sends browsers to another path, which is relative, so that it works below any prefix that a proxy adds. */
export function redirectTo(location: string, status: 302 | 308): RouteRules {
	return {
		access: "open",
		handler(exchange) {
			exchange.status = status;
			exchange.header("location", location).send("");
		},
	};
}

/** Serves a folder's files below `url`, and its index.html at `url`. @returns whether it was built */
export function addFolder(router: Router, url: string, folder: string): boolean {
	if (!existsSync(join(folder, "index.html"))) {
		router.add(url, { GET: { access: "open", handler: refuseNotBuilt } });
		return false;
	}
	const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => extname(name) !== "");
	for (const name of names) {
		const at = name === "index.html" ? url : `${url}/${name.split(sep).join("/")}`;
		addFile(router, at, readFile(join(folder, name)));
	}
	return true;
}

/** @throws ApiError */
function refuseNotBuilt(): never {
	throw new ApiError("route_not_found", "this page is not built: run npm run build");
}

/** Reads a file. It is compressed when it is first asked for. */
export function readFile(path: string): () => StaticFile {
	const plain = readFileSync(path);
	return () => staticFile(path, plain);
}

/** Serves one file to everybody. @param make called by the first request @param headers those of a page if absent */
export function addFile(router: Router, url: string, make: () => StaticFile, headers = pageHeaders): void {
	let file: StaticFile | undefined;
	router.add(url, {
		GET: {
			access: "open",
			handler(exchange) {
				file ??= make();
				sendFile(exchange, file, headers);
			},
		},
	});
}
