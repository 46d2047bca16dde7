// The output of commands: text at the pace of its reader, results as JSON, commands to paste, and aligned tables.

import { pipeline } from "node:stream/promises";
import { styleText } from "node:util";
import { toJson } from "../contract/json.ts";
import { printable } from "../contract/observed.ts";
import { isInt64Schema, Pet as PetSchema, petFields } from "../contract/pet.ts";
import type { Pages } from "../files/formats.ts";

/** Writes all pieces. When the reader closes the pipe (`| head`), this stops without an error. */
export async function toStdout(pieces: AsyncIterable<string | Uint8Array> | Iterable<string>): Promise<void> {
	try {
		await pipeline(pieces, process.stdout, { end: false });
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw error;
	}
}

export function printJson(value: object): void {
	process.stdout.write(`${toJson(value, 2)}\n`);
}

export function printResult(isJson: boolean | undefined, value: object, text: string): void {
	process.stdout.write(`${isJson ? toJson(value) : printable(text)}\n`);
}

/** Prints a message without control characters, because it may quote strangers. @param start is printed unchanged */
export function say(message: string, start = ""): void {
	console.error(start + printable(message));
}

/** Whether a person can be asked. */
export const isOnTerminal = () => Boolean(process.stdin.isTTY && process.stderr.isTTY);

/** @returns the line that was typed; `no` after Ctrl-D @throws the reason of `signal` */
export async function askOnTerminal(question: string, signal?: AbortSignal): Promise<string> {
	const { createInterface } = await import("node:readline");
	say(question);
	const lines = createInterface({ input: process.stdin, signal });
	const { value = "no" } = await lines[Symbol.asyncIterator]().next(); // There is no line after Ctrl-D.
	lines.close();
	signal?.throwIfAborted();
	return value;
}

/** Quotes a word for a shell. Signs that would control a terminal become escapes that bash, zsh and ksh read. */
export function quoteWord(text: string): string {
	if (/^[\p{L}\p{N}:=_./-]+$/u.test(text)) return text;
	if (!/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
	const escaped = text.replace(
		/[\p{Cc}\p{Bidi_Control}\u2028\u2029'\\]/gu,
		(sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
	);
	return `$'${escaped}'`;
}

/** The number with its noun: "1 animal", "2 animals". */
export function countOf(count: number | bigint, noun: string): string {
	return `${count} ${noun}${Number(count) === 1 ? "" : "s"}`;
}

export function examples(...lines: string[]): string {
	return `\nExamples:\n${lines.map((line) => `  animal-store ${line}\n`).join("")}`;
}

/** Yields a header, then one piece of text for each page, without control characters. Numbers are aligned right. */
export async function* formatTable(
	pages: Pages<readonly string[]>,
	titles: readonly string[],
	isNumber: (title: string) => boolean = () => false,
): AsyncGenerator<string> {
	let widths = titles.map(({ length }) => length);
	let isFirst = true;
	const fit = (cell: string, index: number) =>
		isNumber(titles[index] ?? "") ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0);
	const line = (cells: readonly string[]) => cells.map(fit).join("  ").trimEnd();
	for await (const page of pages) {
		const rows = page.map((cells) => cells.map((cell) => printable(cell).replaceAll("\n", "\uFFFD")));
		for (const cells of rows) widths = widths.map((width, index) => Math.max(width, cells[index]?.length ?? 0));
		if (isFirst && rows.length > 0) yield `${styleText("bold", line(titles))}\n`;
		isFirst = false;
		yield rows.map((cells) => `${line(cells)}\n`).join("");
	}
}

type Field = (typeof petFields)[number];

/** @param readNames reads the categories' names, which are then shown instead of their numbers */
export function formatPetTable(
	pages: Pages<Partial<Record<Field, unknown>>>,
	fields: readonly Field[] = petFields,
	readNames?: () => Promise<ReadonlyMap<unknown, string>>,
): AsyncGenerator<string> {
	// Names come last, so that wide characters in them do not shift other columns.
	const last: Field[] = readNames ? ["categoryId", "name"] : ["name"];
	const columns = [...fields.filter((field) => !last.includes(field)), ...last];
	async function* rows() {
		let names: ReadonlyMap<unknown, string> | undefined;
		for await (const pets of pages) {
			if (pets.length > 0) names ??= await readNames?.();
			const cell = (field: Field, value: unknown) => (field === "categoryId" && names?.get(value)) || (value ?? "-");
			yield pets.map((pet) => columns.map((column) => String(cell(column, pet[column]))));
		}
	}
	const titles = columns.map((field) => (field === "categoryId" && readNames ? "category" : field));
	const isNumber = (title: string) => title !== "category" && isInt64Schema(PetSchema.properties[title as Field]);
	return formatTable(rows(), titles, isNumber);
}
