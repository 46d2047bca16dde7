// Opens a file of animals to import. An import reads it several times, so standard input and pipes are copied to a
// temporary file first, and a change of the file ends the import. Rows that cannot be added go to another file, which
// can be imported after fixing.

import { createHash } from "node:crypto";
import {
	createReadStream,
	createWriteStream,
	fstatSync,
	lstatSync,
	mkdtempSync,
	openAsBlob,
	openSync,
	readSync,
	rmSync,
	unlinkSync,
	writeSync,
} from "node:fs";
import { stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { ColumnError } from "../files/columns.ts";
import { FileError, isArchive } from "../files/encoding.ts";
import { detectKind, type FileKind, type Source } from "../files/formats.ts";
import { rejectedFormat, rejectedRow } from "../files/rejected-rows.ts";
import type { FileRow } from "../files/rows.ts";
import { CommandError, inOneLine } from "./command-error.ts";

export interface ImportFile {
	/** For messages, and for the name of the file of rejected rows. */
	name: string;
	kind: FileKind;
	/** The SHA-256 of its bytes, in hex. */
	digest: string;
	source: Source;
}

/** @param path `-` is standard input @param sheet the name of a workbook's sheet */
export async function openImportFile(path: string, signal: AbortSignal, sheet?: string): Promise<ImportFile> {
	const info = path === "-" ? undefined : await stat(path);
	if (info?.isDirectory()) throw new CommandError(`${path} is a folder: name a file in it`);
	const isPlain = info?.isFile() === true;
	const name = isPlain ? path : "stdin";
	try {
		const { source, kind } = await readTable(isPlain ? path : await copyToTemporary(path, signal), sheet);
		const digest = createHash("sha256");
		for await (const piece of source()) digest.update(piece);
		return { name, kind, digest: digest.digest("hex"), source };
	} catch (error) {
		throw explainFileError(error, name);
	}
}

/** A workbook is read as a whole. Any other file is read piece by piece, each time from its start. */
async function readTable(path: string, sheet: string | undefined) {
	// The file stays open until the process exits, because a program that saves the file may replace it meanwhile.
	const file = openSync(path, "r");
	const reading = { fd: file, start: 0, autoClose: false };
	const opened = stateOf(file);
	const refuseChanged = () => {
		if (stateOf(file) !== opened) throw new FileError("the file was changed while it was read");
	};
	async function* source() {
		for await (const piece of createReadStream(path, reading).iterator({ destroyOnReturn: false })) {
			refuseChanged(); // After the piece was read, and before a row of it is used.
			yield piece;
		}
		refuseChanged();
	}
	const head = Buffer.alloc(4);
	readSync(file, head, 0, head.length, 0);
	if (isArchive(head)) {
		const { readWorkbook } = await import("../files/workbook.ts");
		return readWorkbook(await openAsBlob(path), sheet).finally(refuseChanged);
	}
	if (sheet !== undefined) throw new FileError("the file has no sheets, because it is no workbook: leave out --sheet");
	return { source, kind: await detectKind(source) };
}

/** Returns a text that changes with every write to the file. */
function stateOf(file: number): string {
	const { size, mtimeNs } = fstatSync(file, { bigint: true });
	return `${size} ${mtimeNs}`;
}

/** The error of a broken file as a sentence with the file's name; any other error unchanged. */
export function explainFileError(error: unknown, name: string): unknown {
	if (!(error instanceof FileError)) return error;
	const where = error.line === undefined ? name : `${name}, line ${error.line}`;
	const hint = error instanceof ColumnError ? "; --map FIELD=COLUMN chooses a column" : "";
	return new CommandError(`${where}: ${inOneLine(error.message)}${hint}; nothing was sent`);
}

/** Fails after `maxBytes`, because some pipes and devices never end, such as /dev/zero. @throws FileError */
export async function* limited(pieces: AsyncIterable<Buffer>, maxBytes = 2 ** 30): AsyncGenerator<Buffer> {
	let left = maxBytes;
	for await (const piece of pieces) {
		left -= piece.length;
		if (left < 0)
			throw new FileError(`more than ${maxBytes / 2 ** 20} MiB arrived: save them as a file, and import it`);
		yield piece;
	}
}

/** @returns the path of a file that is removed when the process exits, even after a second Ctrl-C */
async function copyToTemporary(path: string, signal: AbortSignal): Promise<string> {
	const folder = mkdtempSync(join(tmpdir(), "animal-store-import-"));
	process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
	const file = join(folder, "stdin");
	const input = path === "-" ? process.stdin : createReadStream(path);
	await pipeline(input, (pieces) => limited(pieces), createWriteStream(file), { signal });
	return file;
}

/**
 * Writes each rejected row at once, because there are few unless the whole file is wrong. `open` or the first row
 * creates the file. It replaces an earlier import's file, or a symbolic link, but never the link's target.
 */
export function rejectedFile(name: string, kind: FileKind) {
	const path = `${name}.rejected.${rejectedFormat(kind)}`;
	let file: number | undefined;
	return {
		path,
		count: 0,
		/** @throws if the file cannot be written */
		open(): void {
			if (file !== undefined) return;
			if (lstatSync(path, { throwIfNoEntry: false })) unlinkSync(path);
			file = openSync(path, "wx");
		},
		add(row: FileRow, reason: string): void {
			this.open();
			writeSync(file as number, rejectedRow(row, reason, kind, this.count === 0));
			this.count++;
		},
	};
}
