// The private endpoints for imports: rows are stored each once, and rows that an earlier import has added are told.

import { type EarlierRow, type EarlierRows, type ImportResult, importRowsMax } from "../contract/console.ts";
import { NewPet } from "../contract/pet.ts";
import { Type } from "../contract/schema.ts";
import { checkOf } from "../contract/validate.ts";
import type { EarlierPet, ImportedPet, KeyedPet, Store } from "../store/store.ts";
import { listIn, readJson, readList, validOf } from "./body.ts";
import { callerOf } from "./checks.ts";
import type { Exchange } from "./exchange.ts";

/** The most invalid rows whose faults are in the reply. */
const explainedMax = 100;
const unexplained = { field: undefined, problem: `is invalid, as the ${explainedMax} invalid rows before it` };

type InTurn = <Result>(exchange: Exchange, task: () => Promise<Result>) => Promise<Result>;

interface Work {
	/** Counts the items as requests. */
	counted<Item>(exchange: Exchange, items: Item[]): Item[];
	/** Each does its task in the turn of the key. */
	write: InTurn;
	look: InTurn;
}

export function createImportHandlers(store: Store, { counted, write, look }: Work) {
	return {
		/** Reports invalid rows and stores all other rows. */
		async importRows(exchange: Exchange): Promise<{ results: ImportResult[] }> {
			const body = Object(await readJson(exchange));
			const file = body.file === undefined ? {} : validOf(checkFile(body.file), "file: ");
			const from = { ...file, by: callerOf(exchange).name };
			const given = counted(exchange, listIn(body, "rows", `${rowsRule} animals, each with a key`, importRowsMax));
			const rows = given.map((row) => parseRow(row, from));
			const isInvalid = (row: (typeof rows)[number]) => "faults" in row;
			for (const row of rows.filter(isInvalid).slice(explainedMax)) Object.assign(row, { faults: [unexplained] });
			const valid = rows.filter((row): row is ImportRow => "pet" in row);
			const stored = (valid.length > 0 ? await write(exchange, () => store.createPets(valid)) : []).values();
			return { results: rows.map((row) => ("pet" in row ? resultOf(stored.next().value as ImportedPet, row) : row)) };
		},
		/** Which rows an import has added already, so that a person can decide before anything is sent. */
		async findRows(exchange: Exchange): Promise<EarlierRows> {
			const given = await readList(exchange, "rows", `${rowsRule} keys`, importRowsMax);
			const rows = given.map((row, index) => validOf(checkRowKey(row), `rows[${index}]: `));
			const find = () =>
				store.findKeys(
					importCaller,
					rows.map(({ key }) => key),
				);
			const { found, isUnused } = await look(exchange, find);
			const results = rows.map((row) => {
				const earlier = found.get(row.key);
				return earlier ? earlierRow(earlier, row.cells) : null;
			});
			return { results, isNone: isUnused };
		},
	};
}

/** Replaces the id of an API key (`key_…`): Idempotency-Keys of imports are scoped to the store. */
const importCaller = "import";
const rowsRule = `1 to ${importRowsMax}`;
const key = Type.String({ description: "a string of 1 to 255 visible ASCII characters", pattern: "^[!-~]{1,255}$" });
const hex = Type.String({ description: "1 to 64 hexadecimal digits", pattern: "^[0-9a-f]{1,64}$" });
const RowKey = Type.Object({ key, cells: Type.Optional(hex) }, { description: "a JSON object with key" });
const checkRowKey = checkOf(RowKey);
const checkRow = checkOf(
	Type.Object(
		{ ...RowKey.properties, ...NewPet.properties },
		{ description: "a JSON object with key, name and categoryId" },
	),
);
const fileName = Type.String({ description: "a string of 1 to 255 characters", pattern: "^[^\\u0000]{1,255}$" });
const checkFile = checkOf(
	Type.Object({ file: fileName, digest: hex }, { description: "an object with file and digest" }),
);

type ImportRow = KeyedPet & { cells?: string | undefined };
/** What is kept with a row's key, as JSON. */
type RowOrigin = Pick<EarlierRow, "file" | "digest" | "by"> & { cells?: string | undefined };

function parseRow(given: unknown, from: RowOrigin): ImportRow | Extract<ImportResult, { outcome: "invalid" }> {
	const { value, faults } = checkRow(given);
	if (faults) return { outcome: "invalid", faults };
	const { key, cells, ...pet } = value;
	return { pet, cells, idempotencyKey: { caller: importCaller, key }, origin: JSON.stringify({ ...from, cells }) };
}

function resultOf({ id, outcome, earlier }: ImportedPet, { cells }: ImportRow): ImportResult {
	if (!earlier) return { outcome: "added", id };
	const row = earlierRow({ id, ...earlier }, cells);
	return outcome === "reused" ? { ...row, outcome: "different" } : row;
}

/** @param cells the hash of the row's cells, if its key is not made of all of them */
function earlierRow({ id, atMs, isRemoved, origin = "{}" }: EarlierPet, cells: string | undefined): EarlierRow {
	const { cells: before, ...from } = JSON.parse(origin) as RowOrigin;
	const isSame = before === cells || before === undefined;
	return { outcome: isRemoved ? "removed" : isSame ? "present" : "different", id, atMs, ...from };
}
