// Recognises the encoding of a text file and decodes it. Spreadsheet programs write UTF-8, with or without a byte order
// mark, UTF-16, and Windows-1252. This file also defines the error for a file that cannot be read.

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
export async function detectEncoding(chunks: Chunks): Promise<Encoding> {
	const scan = startUtf8Scan();
	/** The start of the file; undefined once it was checked: then only UTF-8 and Windows-1252 are possible. */
	let head: Uint8Array | undefined = new Uint8Array();
	for await (const chunk of chunks) {
		scanUtf8(scan, chunk);
		if (!head) continue;
		head = Uint8Array.from([...head, ...chunk.subarray(0, headSize)]);
		const found = encodingOfHead(head);
		if (found !== undefined) return found;
		if (head.length >= headSize) head = undefined;
	}
	if (scan.pending > 0) markInvalid(scan);
	if (scan.invalid === 0) return "utf-8";
	if (scan.multiByte > scan.invalid)
		throw new FileError("the text is not UTF-8, but other lines are: save the file as UTF-8", scan.invalidLine);
	return "windows-1252";
}

/** Enough bytes to distinguish the zeros of UTF-16 from a stray zero. */
const headSize = 512;

/** Whether a file that begins like this is a ZIP archive, such as a workbook (.xlsx). */
export function isArchive(head: Uint8Array): boolean {
	return startsWith(head, 0x50, 0x4b, 0x03, 0x04);
}

function startsWith(head: Uint8Array, ...bytes: number[]): boolean {
	return bytes.every((byte, at) => head[at] === byte);
}

const notText = "the file is not text: save it as CSV, NDJSON or JSON";

/** Recognises UTF-16 by its byte order mark or, without a mark, by its zero bytes. */
function encodingOfHead(head: Uint8Array): Encoding | undefined {
	const [first, second] = head;
	if (startsWith(head, 0xd0, 0xcf, 0x11, 0xe0))
		throw new FileError("the file is an old workbook (.xls), or has a password: save it as .xlsx without a password");
	if (first === 0xff && second === 0xfe) return "utf-16le";
	if (first === 0xfe && second === 0xff) return "utf-16be";
	const zeros = (parity: number) => head.filter((byte, index) => byte === 0 && index % 2 === parity).length;
	const [even, odd] = [zeros(0), zeros(1)];
	const controls = head.filter((byte) => byte > 0 && byte < 0x20 && (byte < 0x09 || byte > 0x0d)).length;
	if (controls > head.length / 20) throw new FileError(notText);
	if (head.length < 2 || even + odd < head.length / 4) return undefined;
	if (odd > 9 * even) return "utf-16le";
	if (even > 9 * odd) return "utf-16be";
	throw new FileError(notText);
}

/**
 * `pending`: continuation bytes that are still to come. `multiByte`: complete characters of more than one byte.
 * `invalidLine`: the line of the first invalid byte.
 */
const startUtf8Scan = () => ({ line: 1, pending: 0, multiByte: 0, invalid: 0, invalidLine: 0 });
type Utf8Scan = ReturnType<typeof startUtf8Scan>;

/** Counts characters and invalid bytes. Finds fewer errors than a decoder, but does not stop at the first one. */
function scanUtf8(scan: Utf8Scan, chunk: Uint8Array): void {
	// An indexed loop, because an iterator would be several times slower, and this reads the whole file.
	for (let at = 0; at < chunk.length; at++) {
		const byte = chunk[at] ?? 0;
		if (byte < 0x80) {
			if (scan.pending > 0) markInvalid(scan);
			if (byte === 0x0a) scan.line++;
		} else if (byte < 0xc0) {
			if (scan.pending === 0) markInvalid(scan);
			else if (--scan.pending === 0) scan.multiByte++;
		} else {
			if (scan.pending > 0) markInvalid(scan);
			if (byte < 0xc2 || byte > 0xf4) markInvalid(scan);
			else scan.pending = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
		}
	}
}

function markInvalid(scan: Utf8Scan): void {
	scan.pending = 0;
	if (scan.invalid++ === 0) scan.invalidLine = scan.line;
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
 * Whether an earlier program has lost or garbled letters of this text: it has U+FFFD, a question mark where a letter
 * was, UTF-8 read as Windows-1252, or a private-use character, which some programs write for `&#128008;`.
 */
export function isDamaged(text: string): boolean {
	return /[\uFFFD\p{Co}]|\p{L}\?\p{L}|(?<![^\s-])\?\p{Ll}|Ã[\u0080-\u00BF\u0152-\u2122]|â€/u.test(text);
}

/** The name for messages. */
export function nameOfEncoding(encoding: Encoding): string {
	return encoding === "windows-1252" ? "Windows-1252" : encoding.toUpperCase();
}
