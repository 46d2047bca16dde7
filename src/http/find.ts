// Searches for animals: pages for `/console/find`, and exports, which are streamed.

import { setImmediate as tick } from "node:timers/promises";
import {
	type ExportOrder,
	exportFormats,
	type FindReply,
	findLimitDefault,
	sorts,
	tooManyPets,
	workbookMaxPets,
} from "../contract/console.ts";
import { ApiError } from "../contract/errors.ts";
import { filters, parametersOf, searchFilters } from "../contract/filters.ts";
import { int64FromDecimal, isInt64, parseJson } from "../contract/json.ts";
import { operations } from "../contract/operations.ts";
import type { Pet } from "../contract/pet.ts";
import { type Static, Type } from "../contract/schema.ts";
import { checkOf } from "../contract/validate.ts";
import { formatPets } from "../files/formats.ts";
import { type FindPosition, hasTotals, isIndexed, type Store } from "../store/store.ts";
import { callerOf } from "./checks.ts";
import type { Exchange } from "./exchange.ts";
import { createQueryReader, readJson, validOf } from "./input.ts";
import type { PetOptions } from "./pets.ts";
import { type InTurn, inTurnsOf, Turns, turnLimits } from "./turns.ts";

/** The filters of listPets, the filters that only searches have, and `sort`. */
const searched = {
	...parametersOf(filters),
	...parametersOf(searchFilters),
	sort: Type.Optional(Type.Enum(sorts, { description: `one of ${sorts.join(", ")}` })),
};
const Search = Type.Object(searched);
type Search = Static<typeof Search>;

const after = Type.String({ minLength: 1, description: 'the "next" of the previous reply, with the same "sort"' });
const { limit } = operations.listPets.query.properties;
const readFindQuery = createQueryReader(Type.Object({ ...searched, limit, after: Type.Optional(after) }));

/** A page of a search. The first page also has the total, which is counted in the same turn. */
async function find({ findPets }: Store, inTurn: InTurn, exchange: Exchange): Promise<FindReply> {
	const { after, limit = findLimitDefault, ...search } = readFindQuery(exchange.query);
	const position = after === undefined ? undefined : readPosition(after, search);
	// The totals of a category take only two short reads, so each page has them.
	const isCounted = position === undefined || hasTotals({ ...search, limit });
	const query = { ...search, after: position, limit, isCounted };
	const read = () => findPets(query, exchange.left);
	const { pets, next, ...totals } = await (isIndexed(query) ? read() : inTurn(exchange, read));
	return { pets: petsIn(pets), ...(next && { next: writePosition(next) }), ...totals };
}

/** @param jsons the JSON of each animal */
function petsIn(jsons: readonly string[]): Pet[] {
	return parseJson(`[${jsons.join()}]`) as Pet[];
}

function writePosition({ id, name }: FindPosition): string {
	return Buffer.from(name === undefined ? `${id}` : `${id} ${name}`).toString("base64url");
}

/** @throws ApiError `invalid_parameter` */
function readPosition(text: string, { sort = "id" }: Search): FindPosition {
	const [, digits = "", name] = /^(\S+)(?: ([^\0]+))?$/.exec(Buffer.from(text, "base64url").toString()) ?? [];
	const id = int64FromDecimal(digits);
	const position = id === undefined ? undefined : { id, ...(name !== undefined && { name }) };
	const isOurs = position && writePosition(position) === text && (name !== undefined) === sort.endsWith("name");
	if (isOurs) return position;
	throw new ApiError("invalid_parameter", `after must be ${after.description}`);
}

/** The most ids in the request for one export. */
const idsMax = 1000;
/** How many animals an export reads with its first search, and the most that it reads with each later search. */
const foundFirst = 1000;
const foundMax = 10_000;
/** The approximate size of the animals that an export holds. */
const foundBytes = 1024 * 1024;
/** The most exports of a key at the same time. */
const exportsMax = 4;
/** How many animals an export writes at a time. */
const stepPets = 100;

const contentTypes = {
	csv: "text/csv; charset=utf-8",
	"csv-semicolon": "text/csv; charset=utf-8",
	ndjson: "application/x-ndjson",
	json: "application/json",
	xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
};

const format = Type.Enum(exportFormats, { description: `one of ${exportFormats.join(", ")}` });
const checkOrder = checkOf(
	Type.Object({ format, ...searched }, { description: "a JSON object with a format" }),
	int64FromDecimal,
);
type Order = ReturnType<typeof parseOrder>;

export function createFindHandlers({ store, now }: PetOptions) {
	const exports = new Turns({ runningMax: Infinity, keyRunningMax: exportsMax, keyMax: exportsMax, tasks: "exports" });
	const searches = new Turns({ ...turnLimits, tasks: "searches" });
	const inTurn = inTurnsOf(searches);

	/** A key's exports search in separate turns: none of their searches is refused, or delays others of the key. */
	const searchFor = (exchange: Exchange): Store["findPets"] => {
		const turn = `exports of ${callerOf(exchange).id}`;
		return (query, left) => searches.run(turn, () => store.findPets(query, left), left);
	};

	async function writeExport(exchange: Exchange, order: Order): Promise<void> {
		const findPets = searchFor(exchange);
		const left = exchange.watchLeaving();
		await checkCount(findPets, order, left);
		const { format, ids, ...search } = order;
		const date = new Date(now()).toISOString().slice(0, 10);
		exchange.headers({
			"cache-control": "no-store",
			"content-type": contentTypes[format],
			"content-disposition": `attachment; filename="animals-${date}.${format.replace("-semicolon", "")}"`,
		});
		const pages = ids ? petsOf(store, ids) : foundPets(findPets, search, exchange, left);
		await exchange.stream(formatPets(pages, format, await namesIn(store)));
	}

	return {
		find: (exchange: Exchange) => find(store, inTurn, exchange),
		async exportPets(exchange: Exchange): Promise<void> {
			const order = parseOrder(await readJson(exchange));
			await exports.run(callerOf(exchange).id, () => writeExport(exchange, order));
		},
	};
}

/** @throws ApiError `invalid_body` */
function parseOrder(body: unknown) {
	const { ids } = Object(body) as ExportOrder;
	if (ids !== undefined && !(Array.isArray(ids) && ids.length <= idsMax && ids.every(isInt64)))
		throw new ApiError("invalid_body", `ids must be a list of at most ${idsMax} ids`);
	return { ...validOf(checkOrder(body)), ids };
}

/**
 * Does not check an export that searches names, because the total of such a search may be a lower bound.
 * @throws ApiError `invalid_body` for more animals than a workbook holds
 */
async function checkCount(findPets: Store["findPets"], order: Order, left: AbortSignal): Promise<void> {
	const { format, ids, sort: _, ...search } = order;
	if (format !== "xlsx" || ids || search.name !== undefined) return;
	const { total = 0 } = await findPets({ ...search, limit: 1, isCounted: true }, left);
	if (total > workbookMaxPets) throw new ApiError("invalid_body", tooManyPets);
}

async function* petsOf({ getPet }: Store, ids: (number | bigint)[]): AsyncGenerator<Pet[]> {
	const sorted = [...new Set(ids.map(BigInt))].sort((one, other) => (one < other ? -1 : 1));
	for (let start = 0; start < sorted.length; start += stepPets) {
		const found = await Promise.all(sorted.slice(start, start + stepPets).map((id) => getPet(id)));
		yield petsIn(found.flatMap(({ json = [] }) => json));
	}
}

/** Stops when the client has left. Lets other requests be answered between the pages. */
async function* foundPets(
	findPets: Store["findPets"],
	search: Search,
	exchange: Exchange,
	left: AbortSignal,
): AsyncGenerator<Pet[]> {
	let after: FindPosition | undefined;
	let limit = foundFirst;
	do {
		const { pets, next } = await findPets({ ...search, after, limit }, left);
		const bytes = pets.reduce((sum, { length }) => sum + length, 0);
		exchange.hold(bytes);
		limit = Math.min(foundMax, Math.ceil((limit * foundBytes) / (bytes + 1)));
		for (let start = 0; start < pets.length && !left.aborted; start += stepPets) {
			yield petsIn(pets.slice(start, start + stepPets));
			await tick();
		}
		after = next;
	} while (after && !left.aborted);
}

/** Returns a function that finds a category's name by id; undefined if no category has a name. */
async function namesIn({ categories }: Store): Promise<((id: bigint) => string | undefined) | undefined> {
	const names = new Map((await categories.names()).map(({ id, name }) => [id, name]));
	return names.size > 0 ? (id) => names.get(id) : undefined;
}
