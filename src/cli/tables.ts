// Tables for people: aligned, with a header, on a terminal. In a pipe, scripts get fields separated by tabs.

import { styleText } from "node:util";
import { type Operation, operations } from "../contract/operations.ts";
import { isInt64Schema, Pet as PetSchema, petFields } from "../contract/pet.ts";

type Pages<Row> = AsyncIterable<Row[]> | Iterable<Row[]>;

/** One piece of text for each page. Only a terminal gets a header, once. */
export async function* formatTable(
	pages: Pages<string[]>,
	titles: readonly string[],
	isTerminal: boolean,
	isNumber: (title: string) => boolean = () => false,
): AsyncGenerator<string> {
	let widths = titles.map(({ length }) => length);
	let isFirst = true;
	const line = (cells: readonly string[]) => alignCells(cells, widths, (index) => isNumber(titles[index] ?? ""));
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

/** Aligns numbers to the right and texts to the left, and cuts cells that are wider than their column. */
export function alignCells(
	cells: readonly string[],
	widths: readonly number[],
	isNumber: (index: number) => boolean = () => false,
): string {
	const fit = (cell: string, index: number) => {
		const width = widths[index] ?? 0;
		if (cell.length > width) return `${cell.slice(0, width - 1)}…`;
		return isNumber(index) ? cell.padStart(width) : cell.padEnd(width);
	};
	return cells.map(fit).join("  ").trimEnd();
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

/** A key as `keys list --json` shows it; times are ISO 8601. */
export interface ShownKey {
	id: string;
	name: string;
	state: "working" | "expired" | "revoked";
	last4: string;
	scopes: readonly string[];
	rate: string | null;
	created: string | null;
	expires: string | null;
	revoked: string | null;
	lastUsed: string | null;
	/** Such as `getPetLastUsed`. */
	[lastUsedOfDeprecated: `${string}LastUsed`]: string | null;
}

export const deprecatedOperations = Object.entries<Operation>(operations)
	.filter(([, { deprecation }]) => deprecation)
	.map(([name]) => name);

const widthMax = 100;
const nameWidthMin = 8;

/** At most 100 columns wide, with times as "2 h ago". */
export function keyTable(keys: readonly ShownKey[], nowMs: number): string {
	const time = (at: string | null | undefined) => (at ? timeFromNow(Date.parse(at), nowMs) : "-");
	const isAnyRated = keys.some(({ rate }) => rate !== null);
	const used = deprecatedOperations.filter((name) => keys.some((key) => key[`${name}LastUsed`]));
	const columns: Column[] = [
		{ title: "id", cell: ({ id }) => id },
		{ title: "name", cell: ({ name }) => name },
		{ title: "state", cell: ({ state }) => state },
		{ title: "last4", cell: ({ last4 }) => last4 },
		{ title: "scopes", cell: ({ scopes }) => scopes.map((scope) => scope.replace(/^pets:|:read$/, "")).join() },
		...(isAnyRated ? [{ title: "rate", cell: ({ rate }: ShownKey) => rate ?? "-" }] : []),
		{ title: "created", cell: ({ created }) => time(created) },
		{ title: "expires", cell: ({ expires }) => time(expires) },
		{ title: "used", cell: ({ lastUsed }) => time(lastUsed) },
		...used.map((name): Column => ({ title: name, cell: (key) => time(key[`${name}LastUsed`]) })),
	];
	const fewer = columns.filter(({ title }) => title !== "created");
	const [titles = "", ...rows] = linesOf(columns, keys) ?? linesOf(fewer, keys, true) ?? [];
	return [styleText("bold", titles), ...rows, ""].join("\n");
}

interface Column {
	title: string;
	cell(key: ShownKey): string;
}

/** Shortens names if the table would be too wide. @returns undefined if that is not enough */
function linesOf(columns: Column[], keys: readonly ShownKey[], isForced = false): string[] | undefined {
	const lines = [columns.map(({ title }) => title), ...keys.map((key) => columns.map(({ cell }) => cell(key)))];
	const widths = widthsOf(lines);
	const name = columns.findIndex(({ title }) => title === "name");
	const excess = widths.reduce((sum, width) => sum + width + 2, -2) - widthMax;
	const nameWidth = Math.min(widths[name] ?? 0, Math.max(nameWidthMin, (widths[name] ?? 0) - excess));
	if (!isForced && (widths[name] ?? 0) - nameWidth < excess) return undefined;
	widths[name] = nameWidth;
	return lines.map((cells) => alignCells(cells, widths));
}

/** The width of each column. */
export function widthsOf([first = [], ...others]: string[][]): number[] {
	return first.map((cell, index) => Math.max(cell.length, ...others.map((cells) => cells[index]?.length ?? 0)));
}

const units: [unit: string, ms: number][] = [
	["y", 365 * 86_400_000],
	["d", 86_400_000],
	["h", 3_600_000],
	["min", 60_000],
];

/** Such as "2 h ago", "in 90 d" and "just now". */
function timeFromNow(atMs: number, nowMs: number): string {
	const distanceMs = Math.abs(atMs - nowMs);
	const [unit, unitMs] = units.find(([, ms]) => distanceMs >= ms) ?? [];
	if (unit === undefined || unitMs === undefined) return atMs > nowMs ? "in 1 min" : "just now";
	const count = Math.round(distanceMs / unitMs);
	return atMs > nowMs ? `in ${count} ${unit}` : `${count} ${unit} ago`;
}
