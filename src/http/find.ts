// Looks for animals, for `/console/find` and exports: what may be asked for, and where a search goes on.

import { type FindReply, findPageMax, sorts } from "../contract/console.ts";
import { ApiError } from "../contract/errors.ts";
import { int64FromDecimal, parseJson } from "../contract/json.ts";
import { filters, optional } from "../contract/operations.ts";
import { NewPet, type Pet } from "../contract/pet.ts";
import { type Static, Type } from "../contract/schema.ts";
import type { FindPosition, FoundPets, Store } from "../store/store.ts";
import type { Exchange } from "./exchange.ts";
import { createQueryReader } from "./pets.ts";

/** What selects and sorts animals: the filters of the interface, and those of a search. */
export const searched = {
	...optional(filters),
	name: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: "a text of 1 to 255 characters" })),
	category: Type.Optional(NewPet.properties.categoryId),
	sort: Type.Optional(Type.Enum(sorts, { description: `one of ${sorts.join(", ")}` })),
};
const Search = Type.Object(searched);
export type Search = Static<typeof Search>;

const after = Type.String({ minLength: 1, description: "the next of the reply before, with the same sort" });
const readFindQuery = createQueryReader(Type.Object({ ...searched, after: Type.Optional(after) }));

/** Answers with the next page of a search, and the first time with how many animals there are. */
export async function find({ findPets }: Store, exchange: Exchange): Promise<FindReply> {
	const { after, ...search } = readFindQuery(exchange.query);
	const position = after === undefined ? undefined : readPosition(after, search);
	const query = { ...search, after: position, limit: findPageMax, isCounted: position === undefined };
	const left = leavingOf(exchange);
	const { pets, next, ...totals } = await unlessLeft(left, findPets(query, left));
	return { pets: petsIn(pets), ...(next && { next: writePosition(next) }), ...totals };
}

/** @param jsons the JSON of each animal */
export function petsIn(jsons: readonly string[]): Pet[] {
	return parseJson(`[${jsons.join()}]`) as Pet[];
}

/** Aborts when the client leaves. */
export function leavingOf({ response }: Exchange): AbortSignal {
	const leaving = new AbortController();
	response.once("close", () => leaving.abort());
	if (response.destroyed) leaving.abort();
	return leaving.signal;
}

/** What was found; nothing if the client has left, because nobody gets it. @throws the failure of the search */
export function unlessLeft(left: AbortSignal, finding: Promise<FoundPets>): Promise<FoundPets> {
	return finding.catch((error) => {
		if (left.aborted) return { pets: [] };
		throw error;
	});
}

function writePosition({ id, name }: FindPosition): string {
	return Buffer.from(name === undefined ? `${id}` : `${id} ${name}`).toString("base64url");
}

/** @throws ApiError `invalid_parameter` */
function readPosition(text: string, { sort = "id" }: Search): FindPosition {
	const [, digits = "", name] = /^(\S+)(?: (.+))?$/s.exec(Buffer.from(text, "base64url").toString()) ?? [];
	const id = int64FromDecimal(digits);
	const position = id === undefined ? undefined : { id, ...(name !== undefined && { name }) };
	const isOurs = position && writePosition(position) === text && (name !== undefined) === sort.endsWith("name");
	if (isOurs) return position;
	throw new ApiError("invalid_parameter", `after must be ${after.description}`);
}
