// Recognises the encoding of a text file and decodes it. Spreadsheets write UTF-8 with or without a byte order mark,
// UTF-16, and Windows-1252. This file also defines the error for a file that cannot be read.

/**
 * An error about a whole file, as opposed to a row that breaks a rule. The message is one sentence for people, with the
 * fix. It does not name the file, because the caller knows the name.
 */
export class FileError extends Error {
	/** The line of the file, from 1; undefined if the error concerns the whole file. */
	readonly line: number | undefined;

	constructor(message: string, line?: number) {
		super(message);
		this.line = line;
	}
}

/** Names from the file, short enough for a message: at most five, each quoted. */
export function quoteNames(names: readonly string[]): string {
	const quoted = names.slice(0, 5).map((name) => JSON.stringify(name.slice(0, 40)));
	return quoted.join(", ") + (names.length > 5 ? ` and ${names.length - 5} more` : "");
}

export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";

/** Pieces of a file, cut anywhere. */
type Chunks = AsyncIterable<Uint8Array>;

/** Reads the whole file. @throws FileError if the file is binary or mixes encodings */
export async function detectEncoding(chunks: () => Chunks): Promise<Encoding> {
	let head = new Uint8Array();
	for await (const chunk of chunks()) {
		head = Uint8Array.from([...head, ...chunk.subarray(0, headSize)]);
		if (head.length >= headSize) break;
	}
	const found = encodingOfHead(head);
	if (found !== undefined) return found;
	if (await isUtf8(chunks())) return "utf-8";
	const decoder = new TextDecoder();
	let [line, multiByte, invalid, invalidLine] = [1, 0, 0, 0];
	for await (const chunk of chunks()) {
		// U+FFFD is in place of invalid bytes.
		for (const [sign] of decoder.decode(chunk, { stream: true }).matchAll(/[\n\u0080-\u{10FFFF}]/gu)) {
			if (sign === "\n") line++;
			else if (sign !== "\uFFFD") multiByte++;
			else if (invalid++ === 0) invalidLine = line;
		}
	}
	if (multiByte <= invalid) return "windows-1252";
	throw new FileError("the text is not UTF-8, but other lines are: save the file as UTF-8", invalidLine);
}

async function isUtf8(chunks: Chunks): Promise<boolean> {
	const decoder = new TextDecoder("utf-8", { fatal: true });
	try {
		for await (const chunk of chunks) decoder.decode(chunk, { stream: true });
		decoder.decode();
		return true;
	} catch (error) {
		if (error instanceof TypeError) return false;
		throw error;
	}
}

/** Enough bytes to tell a binary file from a text with a stray control character. */
const headSize = 512;

/** Whether a file that begins like this is a ZIP archive, such as a workbook (.xlsx). */
export function isArchive(head: Uint8Array): boolean {
	return startsWith(head, 0x50, 0x4b, 0x03, 0x04);
}

function startsWith(head: Uint8Array, ...bytes: number[]): boolean {
	return bytes.every((byte, at) => head[at] === byte);
}

/** Recognises UTF-16 by its byte order mark, which all spreadsheets write. */
function encodingOfHead(head: Uint8Array): Encoding | undefined {
	const [first, second] = head;
	if (startsWith(head, 0xd0, 0xcf, 0x11, 0xe0))
		throw new FileError("the file is an old workbook (.xls), or has a password: save it as .xlsx without a password");
	if (first === 0xff && second === 0xfe) return "utf-16le";
	if (first === 0xfe && second === 0xff) return "utf-16be";
	const controls = head.filter((byte) => byte < 0x20 && (byte < 0x09 || byte > 0x0d)).length;
	if (controls > head.length / 20) throw new FileError("the file is not text: save it as CSV UTF-8, NDJSON or JSON");
	return undefined;
}

/** The text without its byte order mark. @throws FileError if bytes are invalid in the encoding */
export async function* decodeText(chunks: Chunks, encoding: Encoding): AsyncGenerator<string> {
	const decoder = new TextDecoder(encoding, { fatal: true });
	let line = 1;
	try {
		for await (const chunk of chunks) {
			const text = decoder.decode(chunk, { stream: true });
			if (text !== "") yield text;
			line += text.split("\n").length - 1;
		}
		yield decoder.decode();
	} catch (error) {
		if (!(error instanceof TypeError)) throw error;
		const problem = `some bytes from this line on are not ${nameOfEncoding(encoding)}`;
		throw new FileError(`${problem}: save the file as UTF-8`, line);
	}
}

/**
 * Whether an earlier program has lost or garbled letters of this text: U+FFFD, a question mark where a letter was,
 * UTF-8 that was read as Windows-1252, or a private-use character, as the reader of workbooks makes of `&#128008;`.
 */
export function isDamaged(text: string): boolean {
	return /[\uFFFD\p{Co}]|\p{L}\?\p{L}|(?<![^\s-])\?\p{Ll}|Ã[\u0080-\u00BF\u0152-\u2122]|â€/u.test(text);
}

/** The name for messages. */
export function nameOfEncoding(encoding: Encoding): string {
	return encoding === "windows-1252" ? "Windows-1252" : encoding.toUpperCase();
}
