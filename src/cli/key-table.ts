// API keys for people: a table of at most 100 columns, with times as "2 h ago". `--json` has everything, exactly.

import { styleText } from "node:util";
import { type Operation, operations } from "../contract/operations.ts";
import { timeFromNow } from "./words.ts";

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
	/** `getPetLastUsed` and the like. */
	[lastUsedOfDeprecated: `${string}LastUsed`]: string | null;
}

export const deprecatedOperations = Object.entries<Operation>(operations)
	.filter(([, { deprecation }]) => deprecation)
	.map(([name]) => name);

const widthMax = 100;
const nameWidthMin = 8;

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
	const [titles = "", ...rows] =
		linesOf(columns, keys) ??
		linesOf(
			columns.filter(({ title }) => title !== "created"),
			keys,
			true,
		) ??
		[];
	return [styleText("bold", titles), ...rows, ""].join("\n");
}

interface Column {
	title: string;
	cell(key: ShownKey): string;
}

/** Shortens names where the table would be too wide. @returns undefined where that does not suffice */
function linesOf(columns: Column[], keys: readonly ShownKey[], isForced = false): string[] | undefined {
	const lines = [columns.map(({ title }) => title), ...keys.map((key) => columns.map(({ cell }) => cell(key)))];
	const widths = columns.map((_, index) => Math.max(...lines.map((cells) => cells[index]?.length ?? 0)));
	const name = columns.findIndex(({ title }) => title === "name");
	const excess = widths.reduce((sum, width) => sum + width + 2, -2) - widthMax;
	const nameWidth = Math.min(widths[name] ?? 0, Math.max(nameWidthMin, (widths[name] ?? 0) - excess));
	if (!isForced && (widths[name] ?? 0) - nameWidth < excess) return undefined;
	widths[name] = nameWidth;
	const line = (cells: string[]) =>
		cells
			.map((cell, index) => fit(cell, widths[index] ?? 0))
			.join("  ")
			.trimEnd();
	return lines.map(line);
}

function fit(text: string, width: number): string {
	return text.length <= width ? text.padEnd(width) : `${text.slice(0, width - 1)}…`;
}
