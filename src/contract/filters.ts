// The filters of animals. Cursors, links, the client, command options, texts, and the SQL of lists, searches, exports
// and counts are derived from these declarations. A filter that lacks a part does not compile.

import { NewPet, PetStatus } from "./pet.ts";
import { type Static, type TOptional, type TSchema, Type } from "./schema.ts";

/**
 * `equal`: the field has the value. `contains`: the value, folded by `foldedText`, is part of the name of the animal or
 * of its category; or it is the id of one of them. `absent`: the animal lacks the field that the value names.
 */
export type Comparison = "equal" | "contains" | "absent";

interface Rule {
	schema: TSchema;
	compares: Comparison;
	/** The field that the filter compares; absent if there are several. A filter of listPets is named after its field. */
	field?: keyof NewPet;
}

/** A filter of listPets compares one field. Its index has the field and the id, so a page takes only one seek. */
interface ListRule extends Omit<Rule, "field"> {
	compares: "equal";
	index: string;
	/** The filter's name for people, such as “status” in “only animals with this status”. */
	noun: string;
}

/** The filters of listPets by field. Links contain the filters in this order. */
export const filters = {
	status: { schema: PetStatus, compares: "equal", index: "pets_by_status", noun: "status" },
} as const satisfies { [Field in keyof NewPet]?: ListRule };

/** U+0000 is refused, because no name contains it and some engines do not allow it in texts. */
const text = { pattern: "^[^\\0]*$", description: "a text of 1 to 255 characters, without U+0000" };

/** The filters that only searches have. None has the name of a filter of listPets. */
export const searchFilters = {
	name: { schema: Type.String({ minLength: 1, maxLength: 255, ...text }), compares: "contains" },
	category: {
		schema: NewPet.properties.categoryId,
		compares: "equal",
		field: "categoryId",
	},
	without: {
		schema: Type.Enum(["status"], { description: "status" }),
		compares: "absent",
		field: "status",
	},
} as const satisfies Record<string, Rule> & { [Name in keyof typeof filters]?: never };

type Rules = Record<string, Rule>;
type ValuesOf<All extends Rules> = { [Name in keyof All]?: Static<All[Name]["schema"]> | undefined };
export type Filter = ValuesOf<typeof filters>;
/** The filters of a search. */
export type SearchFilter = Filter & ValuesOf<typeof searchFilters>;

export const filterNames = Object.keys(filters) as (keyof Filter)[];
const rules = [
	...filterNames.map((field) => [field, { ...filters[field], field }]),
	...Object.entries(searchFilters),
] as [keyof SearchFilter, Rule][];

/** The filters to which the query gives a value, each with its rule and value. */
export function givenFilters(query: SearchFilter): [name: keyof SearchFilter, rule: Rule, value: unknown][] {
	return rules.flatMap(([name, rule]) => (query[name] === undefined ? [] : [[name, rule, query[name]]]));
}

/**
 * The query's filters on the category; undefined if the query also filters on a field other than category and status.
 * The store keeps the number of animals for each category and status.
 */
export function categoryFilters(query: SearchFilter): SearchFilter | undefined {
	const given = givenFilters(query).filter(([, { field }]) => field !== "status");
	if (!given.every(([, { field }]) => field === "categoryId")) return undefined;
	return Object.fromEntries(given.map(([name, , value]) => [name, value]));
}

/** The schemas of filters as optional parameters of a query. */
export function parametersOf<All extends Rules>(all: All): { [Name in keyof All]: All[Name]["schema"] & TOptional } {
	const entries = Object.entries(all).map(([name, { schema }]) => [name, Type.Optional(schema)]);
	return Object.fromEntries(entries);
}
