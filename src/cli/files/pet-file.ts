// A file of animals to import: its format by its first character, its digest, and its rows, read as often as needed. Standard
// input and pipes are put aside in a temporary file first, since an import reads twice.

import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { Refusal } from "../sentences.ts";
import { jsonElements } from "./json-elements.ts";
import type { Format } from "./pet-formats.ts";
import { csvRecords, lineRecords } from "./pet-records.ts";
import { csvRows, jsonRows, type PetRow } from "./pet-rows.ts";

export interface PetFile {
	/** For sentences, and for the file of rejected lines beside it. */
	name: string;
	format: Format;
	/** SHA-256 of its bytes, in hex. */
	digest: string;
	/** From the first one, at each call. */
	rows(): AsyncGenerator<PetRow>;
	close(): Promise<void>;
}

/** @param path `-` is standard input */
export async function openPetFile(path: string, signal: AbortSignal): Promise<PetFile> {
	const there = path === "-" ? undefined : await stat(path);
	if (there?.isDirectory()) throw new Refusal(`${path} is a folder: name a file in it`);
	const isPlain = there?.isFile() === true;
	const aside = isPlain ? undefined : await putAside(path, signal);
	const handle = await open(aside?.path ?? path);
	const name = isPlain ? path : "stdin";
	const close = async () => {
		await handle.close();
		aside?.remove();
	};
	try {
		const { format, start } = await sniff(handle, name);
		const chunks = () => handle.createReadStream({ start, autoClose: false });
		return { name, format, digest: await digestOf(handle), rows: () => rowsOf(chunks(), format), close };
	} catch (error) {
		await close();
		throw error;
	}
}

function rowsOf(chunks: AsyncIterable<Buffer>, format: Format): AsyncGenerator<PetRow> {
	if (format === "csv") return csvRows(csvRecords(chunks));
	if (format === "ndjson") return jsonRows(lineRecords(chunks), false);
	return jsonRows(jsonElements(chunks), true);
}

async function putAside(path: string, signal: AbortSignal): Promise<{ path: string; remove(): void }> {
	const folder = mkdtempSync(join(tmpdir(), "animal-store-import-"));
	const remove = () => {
		process.off("exit", remove);
		rmSync(folder, { recursive: true, force: true });
	};
	// A second Ctrl-C leaves no other moment.
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

/** The first character tells: `[` a JSON array, `{` a JSON object on each line, any other CSV. */
async function sniff(handle: FileHandle, name: string): Promise<{ format: Format; start: number }> {
	const { buffer, bytesRead } = await handle.read(Buffer.alloc(64 * 1024), 0, 64 * 1024, 0);
	const head = buffer.subarray(0, bytesRead);
	const isUtf16 = /^(\xff\xfe|\xfe\xff)/.test(head.toString("latin1", 0, 2)) || head.includes(0);
	if (isUtf16) throw new Refusal(`${name} is UTF-16, or no text at all: save it as UTF-8; nothing was sent`);
	const start = head.toString("latin1", 0, 3) === "\xef\xbb\xbf" ? 3 : 0;
	const first = head.subarray(start).find((byte) => byte > 0x20);
	if (first === undefined) throw new Refusal(`${name} is empty: there is nothing to import`);
	const format = first === 0x5b ? "json" : first === 0x7b ? "ndjson" : "csv";
	return { format, start };
}

async function digestOf(handle: FileHandle): Promise<string> {
	const digest = createHash("sha256");
	for await (const chunk of handle.createReadStream({ start: 0, autoClose: false })) digest.update(chunk);
	return digest.digest("hex");
}
