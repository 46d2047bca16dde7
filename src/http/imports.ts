// The private endpoint for imports: many animals in one request, each with a key under which the store adds it once,
// whoever sends it. Rows that are no animals are reported, and the others are stored.

import type { ImportResult } from "../contract/console.ts";
import type { ImportCounts } from "../contract/observed.ts";
import { NewPet } from "../contract/pet.ts";
import { Type } from "../contract/schema.ts";
import { checkOf } from "../contract/validate.ts";
import type { ImportedPet, KeyedPet, Store } from "../store/store.ts";
import type { RateLimits } from "./admission.ts";
import { readList } from "./body.ts";
import { callerOf } from "./checks.ts";
import type { Exchange } from "./exchange.ts";

/** In place of the id of an API key, which begins with `key_`: the keys of imports belong to the store. */
const caller = "import";

const key = Type.String({ description: "a string of 1 to 255 visible ASCII characters", pattern: "^[!-~]{1,255}$" });
const checkRow = checkOf(
	Type.Object({ key, ...NewPet.properties }, { description: "a JSON object with key, name and categoryId" }),
);
type Row = KeyedPet | Extract<ImportResult, { outcome: "invalid" }>;

/** @returns the handler of `POST /console/imports` */
export function createImport({ createPets }: Store, limits: RateLimits) {
	return async (exchange: Exchange): Promise<{ results: ImportResult[] }> => {
		const rows = (await readList(exchange.request, "rows", "animals, each with a key")).map(parseRow);
		const rateHeaders = limits.countRows(callerOf(exchange), rows.length - 1);
		if (rateHeaders) exchange.headers(rateHeaders);
		const valid = rows.filter((row): row is KeyedPet => "pet" in row);
		const stored = (valid.length > 0 ? await createPets(valid) : []).values();
		const results = rows.map((row) => ("pet" in row ? resultOf(stored.next().value as ImportedPet) : row));
		exchange.imported = countOutcomes(results);
		return { results };
	};
}

function parseRow(given: unknown): Row {
	const { value, faults } = checkRow(given);
	if (faults) return { outcome: "invalid", faults };
	const { key, ...pet } = value;
	return { pet, idempotencyKey: { caller, key } };
}

function resultOf({ id, outcome, earlier }: ImportedPet): ImportResult {
	if (!earlier) return { outcome: "added", id };
	const { atMs, isRemoved } = earlier;
	if (isRemoved) return { outcome: "removed", id, atMs };
	return { outcome: outcome === "reused" ? "different" : "present", id, atMs };
}

function countOutcomes(results: readonly ImportResult[]): ImportCounts {
	const counts: ImportCounts = { added: 0, present: 0, different: 0, removed: 0, invalid: 0 };
	for (const { outcome } of results) counts[outcome]++;
	return counts;
}
