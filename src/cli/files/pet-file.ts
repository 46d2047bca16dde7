// A file of animals to import: its format, its digest and its rows. An import reads the file twice, so standard input
// and pipes are copied to a temporary file first.

import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { CommandError } from "../command-error.ts";
import { csvRows, type FileRow, jsonRows } from "./file-rows.ts";
import { jsonElements } from "./json-elements.ts";
import type { Format } from "./pet-formats.ts";
import { csvRecords, lineRecords } from "./pet-records.ts";

export interface PetFile {
	/** For messages, and for the name of the file of rejected lines. */
	name: string;
	format: Format;
	/** SHA-256 of its bytes, in hex. */
	digest: string;
	/** Each call starts at the first row. */
	rows(): AsyncGenerator<FileRow>;
	close(): Promise<void>;
}

/** @param path `-` is standard input */
export async function openPetFile(path: string, signal: AbortSignal): Promise<PetFile> {
	const info = path === "-" ? undefined : await stat(path);
	if (info?.isDirectory()) throw new CommandError(`${path} is a folder: name a file in it`);
	const isPlain = info?.isFile() === true;
	const copy = isPlain ? undefined : await copyToTemporary(path, signal);
	const handle = await open(copy?.path ?? path);
	const name = isPlain ? path : "stdin";
	const close = async () => {
		await handle.close();
		copy?.remove();
	};
	try {
		const { format, start } = await detectFormat(handle, name);
		const chunks = () => handle.createReadStream({ start, autoClose: false });
		return { name, format, digest: await digestOf(handle), rows: () => rowsOf(chunks(), format), close };
	} catch (error) {
		await close();
		throw error;
	}
}

function rowsOf(chunks: AsyncIterable<Buffer>, format: Format): AsyncGenerator<FileRow> {
	if (format === "csv") return csvRows(csvRecords(chunks));
	if (format === "ndjson") return jsonRows(lineRecords(chunks), false);
	return jsonRows(jsonElements(chunks), true);
}

async function copyToTemporary(path: string, signal: AbortSignal): Promise<{ path: string; remove(): void }> {
	const folder = mkdtempSync(join(tmpdir(), "animal-store-import-"));
	const remove = () => {
		process.off("exit", remove);
		rmSync(folder, { recursive: true, force: true });
	};
	// A second Ctrl-C exits at once.
	process.on("exit", remove);
	const file = join(folder, "stdin");
	const source = path === "-" ? process.stdin : createReadStream(path);
	try {
		await pipeline(source, createWriteStream(file), { signal });
	} catch (error) {
		remove();
		throw error;
	}
	return { path: file, remove };
}

/** By the first character: `[` is a JSON array, `{` a JSON object on each line, anything else CSV. */
async function detectFormat(handle: FileHandle, name: string): Promise<{ format: Format; start: number }> {
	const { buffer, bytesRead } = await handle.read(Buffer.alloc(64 * 1024), 0, 64 * 1024, 0);
	const head = buffer.subarray(0, bytesRead);
	const isUtf16 = /^(\xff\xfe|\xfe\xff)/.test(head.toString("latin1", 0, 2)) || head.includes(0);
	if (isUtf16) throw new CommandError(`${name} is UTF-16 or not text: save it as UTF-8; nothing was sent`);
	const start = head.toString("latin1", 0, 3) === "\xef\xbb\xbf" ? 3 : 0;
	const first = head.subarray(start).find((byte) => byte > 0x20);
	if (first === undefined) throw new CommandError(`${name} is empty: there is nothing to import`);
	const format = first === 0x5b ? "json" : first === 0x7b ? "ndjson" : "csv";
	return { format, start };
}

async function digestOf(handle: FileHandle): Promise<string> {
	const digest = createHash("sha256");
	for await (const chunk of handle.createReadStream({ start: 0, autoClose: false })) digest.update(chunk);
	return digest.digest("hex");
}
