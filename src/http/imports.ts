// The private endpoints for imports: one stores rows, each only once; the other lists the rows of the last day.

import {
	type EarlierResult,
	type Import,
	type ImportedRow,
	type ImportedRows,
	type ImportResult,
	importedRowsMax,
	importRowsMax,
} from "../contract/console.ts";
import { tryParseJson } from "../contract/json.ts";
import { NewPet, Pet } from "../contract/pet.ts";
import { Type } from "../contract/schema.ts";
import { checkOf } from "../contract/validate.ts";
import { endOfList, type ImportedPet, type KeyedCreate, type KeyedPet, type Store } from "../store/store.ts";
import { callerOf } from "./checks.ts";
import type { Exchange } from "./exchange.ts";
import { createQueryReader, listIn, readJson, validOf } from "./input.ts";
import type { InTurn } from "./turns.ts";

/** The most invalid rows whose faults are in the reply. */
const explainedMax = 100;
const unexplained = { field: undefined, problem: `is invalid, like the ${explainedMax} invalid rows before it` };

/** Functions that the handlers of the console share. */
export interface Work {
	/** Counts each item as a request of the key. @returns the items */
	counted<Item>(exchange: Exchange, items: Item[]): Item[];
	/** `write` and `look` run a task in the turn of the request's key. */
	write: InTurn;
	look: InTurn;
}

const hexRule = { description: "1 to 64 hexadecimal digits", pattern: "^[0-9a-f]{1,64}$" };
const readRowsQuery = createQueryReader(
	Type.Object({
		of: Type.Optional(Type.String(hexRule)),
		without: Type.Optional(Type.String(hexRule)),
		before: Type.Optional(Pet.properties.id),
	}),
);

export function createImportHandlers(store: Store, { counted, write, look }: Work) {
	return {
		/** Reports invalid rows and stores all other rows. */
		async importRows(exchange: Exchange): Promise<{ results: ImportResult[] }> {
			const body = Object(await readJson(exchange));
			const { file } = validOf(checkBody(body));
			const from = { file, by: callerOf(exchange).name };
			const rule = `1 to ${importRowsMax} animals, each with a key`;
			const rows = counted(exchange, listIn(body, "rows", rule, importRowsMax)).map((row) => parseRow(row, from));
			const isInvalid = (row: (typeof rows)[number]) => "faults" in row;
			for (const row of rows.filter(isInvalid).slice(explainedMax)) Object.assign(row, { faults: [unexplained] });
			const valid = rows.filter((row): row is KeyedPet => "pet" in row);
			const stored = (valid.length > 0 ? await write(exchange, () => store.createPets(valid)) : []).values();
			return { results: rows.map((row) => ("pet" in row ? resultOf(stored.next().value as ImportedPet) : row)) };
		},
		/** Lists rows of earlier imports, so that a person can decide about rows that another file has added already. */
		async importedRows(exchange: Exchange): Promise<ImportedRows> {
			const { of, without = "-", before = endOfList } = readRowsQuery(exchange.query);
			const keys = of === undefined ? { start: without, isOther: true } : { start: of, isOther: false };
			const list = () => store.listKeys(importCaller, { before, limit: importedRowsMax, ...keys });
			return toImportedRows(await look(exchange, list));
		},
	};
}

/** The caller in all Idempotency-Keys of imports, instead of an API key: whoever sends a row, it is added only once. */
const importCaller = "import";
const key = Type.String({ description: "a string of 1 to 255 visible ASCII characters", pattern: "^[!-~]{1,255}$" });
const hex = Type.Optional(Type.String(hexRule));
const checkRow = checkOf(
	Type.Object(
		{ key, content: hex, listId: hex, ...NewPet.properties },
		{ description: "a JSON object with key, name and categoryId" },
	),
);
const fileName = Type.String({
	description: "a string of 1 to 255 characters without control characters",
	pattern: "^[^\\u0000-\\u001f]{1,255}$",
});
const checkBody = checkOf(Type.Object({ file: Type.Optional(fileName) }, { description: "an object with rows" }));

/** What the store keeps with a row's key, as JSON. */
interface RowOrigin extends Partial<Pick<ImportedRow, "content" | "listId">>, Partial<Pick<Import, "file" | "by">> {}

function parseRow(given: unknown, from: RowOrigin): KeyedPet | Extract<ImportResult, { outcome: "invalid" }> {
	const { value, faults } = checkRow(given);
	if (faults) return { outcome: "invalid", faults };
	const { key, content, listId, ...pet } = value;
	const origin = JSON.stringify({ ...from, content, listId });
	return { pet, idempotencyKey: { caller: importCaller, key }, origin };
}

function originOf({ origin }: { origin?: string | undefined }): RowOrigin {
	return Object(tryParseJson(origin ?? "").value);
}

function resultOf({ id, outcome, earlier }: ImportedPet): ImportResult {
	if (!earlier) return { outcome: "added", id };
	const { by } = originOf(earlier);
	const given: Omit<EarlierResult, "outcome"> = { id, atMs: earlier.atMs, ...(by !== undefined && { by }) };
	if (earlier.isRemoved) return { outcome: "removed", ...given };
	return { outcome: outcome === "reused" ? "different" : "present", ...given };
}

function toImportedRows(creates: readonly KeyedCreate[]): ImportedRows {
	const imports = new Map<string, Import & { index: number }>();
	const rows = creates.flatMap((create): ImportedRow[] => {
		const { id, key, atMs, isRemoved } = create;
		const { content, listId, file = "", by = "" } = originOf(create);
		if (content === undefined || isRemoved) return []; // Older versions write no content, or keep it at a removal.
		const [digest = "", ...number] = key.split("-");
		const name = `${digest} ${by} ${file}`;
		const known = imports.get(name) ?? { file, digest, by, atMs, index: imports.size };
		imports.set(name, known);
		return [{ import: known.index, content, ...(listId && { listId }), id, number: number.join("-") }];
	});
	const last = creates.length === importedRowsMax ? creates.at(-1) : undefined;
	return {
		rows,
		imports: [...imports.values()].map(({ index: _, ...one }) => one),
		...(last && { next: String(last.id) }),
	};
}
