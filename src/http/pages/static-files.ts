// Static files, such as the console's: read once, kept in memory plain and compressed, sent with an ETag.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join, sep } from "node:path";
import { gzipSync } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { entityTag, matchesTag, varyOn } from "../conditional.ts";
import { acceptsGzip } from "../encoding.ts";
import { addPath } from "../paths.ts";

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

/** @param headers sent with the file; they replace the service's headers of the same name */
export function sendFile(
	{ headers: requested }: FastifyRequest,
	reply: FastifyReply,
	file: StaticFile,
	headers: Record<string, string>,
): FastifyReply {
	reply.headers({
		...headers,
		etag: file.etag,
		"cache-control": file.cacheControl,
		vary: varyOn(reply, "Accept-Encoding"),
	});
	if (matchesTag(requested["if-none-match"], file.etag)) return reply.code(304).send();
	reply.header("content-type", file.contentType);
	return acceptsGzip(requested) ? reply.header("content-encoding", "gzip").send(file.gzip) : reply.send(file.plain);
}

/** Serves a folder's files below `url`, and its index.html at `url`. @returns whether it has an index.html */
export function addFolder(
	app: FastifyInstance,
	{ url, folder, headers }: { url: string; folder: string; headers: Record<string, string> },
): boolean {
	if (!existsSync(join(folder, "index.html"))) return false;
	const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => extname(name) !== "");
	for (const name of names) {
		const path = `/${name.split(sep).join("/")}`;
		for (const at of path === "/index.html" ? [url, `${url}/`] : [url + path])
			addFile(app, at, readFile(join(folder, name)), headers);
	}
	return true;
}

/** Reads a file. It is compressed when it is first asked for. */
export function readFile(path: string): () => StaticFile {
	const plain = readFileSync(path);
	return () => staticFile(path, plain);
}

/** Serves one file to everybody. @param make called by the first request */
export function addFile(
	app: FastifyInstance,
	url: string,
	make: () => StaticFile,
	headers: Record<string, string>,
): void {
	let file: StaticFile | undefined;
	const handler = (request: FastifyRequest, reply: FastifyReply) => {
		file ??= make();
		return sendFile(request, reply, file, headers);
	};
	addPath(app, url, [{ method: "GET", config: { access: "open" }, handler }]);
}
