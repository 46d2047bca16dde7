// Tables for people: aligned, with a header, on a terminal. In a pipe, scripts get fields separated by tabs.

import { styleText } from "node:util";
import { isInt64Schema, Pet as PetSchema, petFields } from "../contract/pet.ts";
import type { Pages } from "../files/formats.ts";

/** One piece of text for each page. Only a terminal gets a header, once. Numbers are aligned to the right. */
export async function* formatTable(
	pages: Pages<readonly string[]>,
	titles: readonly string[],
	isTerminal: boolean,
	isNumber: (title: string) => boolean = () => false,
): AsyncGenerator<string> {
	let widths = titles.map(({ length }) => length);
	let isFirst = true;
	const fit = (cell: string, index: number) =>
		isNumber(titles[index] ?? "") ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0);
	const line = (cells: readonly string[]) => cells.map(fit).join("  ").trimEnd();
	for await (const rows of pages) {
		if (!isTerminal) {
			yield rows.map((cells) => `${cells.join("\t")}\n`).join("");
			continue;
		}
		for (const cells of rows) widths = widths.map((width, index) => Math.max(width, cells[index]?.length ?? 0));
		if (isFirst && rows.length > 0) yield `${styleText("bold", line(titles))}\n`;
		isFirst = false;
		yield rows.map((cells) => `${line(cells)}\n`).join("");
	}
}

type Field = (typeof petFields)[number];
/** Scripts read fields by position, so a field that is added to the contract comes after the others. */
const pipedFields: readonly Field[] = [...new Set<Field>(["id", "categoryId", "status", "name", ...petFields])];

export function formatPetTable(
	pages: Pages<Partial<Record<Field, unknown>>>,
	isTerminal: boolean,
	fields: readonly Field[] = petFields,
): AsyncGenerator<string> {
	// The name comes last, so that wide characters in it do not shift other columns.
	const columns = isTerminal ? [...fields.filter((field) => field !== "name"), "name" as const] : pipedFields;
	const textOf = (value: unknown) => (isTerminal ? escapeControls(String(value ?? "-")) : String(value ?? ""));
	async function* rows() {
		for await (const pets of pages) yield pets.map((pet) => columns.map((column) => textOf(pet[column])));
	}
	return formatTable(rows(), columns, isTerminal, (field) => isInt64Schema(PetSchema.properties[field as Field]));
}

/** Replaces characters that control a terminal or change the direction of text. */
function escapeControls(text: string): string {
	return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, "\uFFFD");
}

const units: [unit: string, ms: number][] = [
	["y", 365 * 86_400_000],
	["d", 86_400_000],
	["h", 3_600_000],
	["min", 60_000],
];

/** Such as "2 h ago", "in 90 d" and "just now". */
export function timeFromNow(atMs: number, nowMs: number): string {
	const distanceMs = Math.abs(atMs - nowMs);
	const [unit, unitMs] = units.find(([, ms]) => distanceMs >= ms) ?? [];
	if (unit === undefined || unitMs === undefined) return atMs > nowMs ? "in 1 min" : "just now";
	const count = Math.round(distanceMs / unitMs);
	return atMs > nowMs ? `in ${count} ${unit}` : `${count} ${unit} ago`;
}
