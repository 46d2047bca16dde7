// The animal: Pet, NewPet, PetStatus and their limits (interface document §2). Validation, type and OpenAPI come from
// the same schema. A property's `description` is the rule that error messages quote.

import { int64Max, int64Min } from "./json.ts";
import { type Static, type TSchema, Type } from "./schema.ts";

export const petStatuses = ["available", "pending", "sold"] as const;
const nameMaxLength = 255;

/** Control characters U+0000–U+001F and U+007F, and lone surrogates: not allowed in names. */
const forbidden = "\\u0000-\\u001F\\u007F\\p{Cs}";
/** The pattern of names without Unicode properties, because the regular expressions of many languages lack them. */
const portableName = "^[^\\x00-\\x1F\\x7F]*[^\\s\\x00-\\x1F\\x7F][^\\x00-\\x1F\\x7F]*$";

/** An integer from −2^63 to 2^63−1: a bigint in the service, digits on the wire. */
const Int64 = (description: string, minimum = int64Min, examples?: number[]) =>
	Type.Unsafe<bigint>({
		type: "integer",
		format: "int64",
		description,
		...(examples && { examples }),
		published: {
			description: `${description}. JavaScript's numbers and JSON.parse round integers beyond 2^53`,
			minimum,
			maximum: int64Max,
		},
	});

export function isInt64Schema(schema: TSchema): boolean {
	return schema.format === "int64";
}

export const PetStatus = Type.Enum([...petStatuses], {
	component: "PetStatus",
	type: "string",
	description: `one of ${petStatuses.map((status) => `"${status}"`).join(", ")}`,
	examples: ["available"],
});
export type PetStatus = Static<typeof PetStatus>;

export const int64Rule = `an integer from ${int64Min} to ${int64Max}`;

const nameRule =
	`a string of 1 to ${nameMaxLength} Unicode code points: ` +
	"not only white space, no control characters, no lone surrogates";

const ownProperties = {
	name: Type.String({
		description: nameRule,
		minLength: 1,
		maxLength: nameMaxLength,
		pattern: `^[^${forbidden}]*[^${forbidden}\\p{White_Space}][^${forbidden}]*$`,
		published: {
			description:
				`${nameRule}. The service checks exactly this, with Unicode's property White_Space; ` +
				"a portable pattern can express only part of it",
			pattern: portableName,
		},
	}),
	categoryId: Int64(int64Rule),
	status: Type.Optional(PetStatus),
};

/** What a client sends to add an animal. Unknown fields are allowed and ignored. */
export const NewPet = Type.Object(ownProperties, {
	component: "NewPet",
	description: "a JSON object with name, categoryId and optionally status",
	examples: [{ name: "Rex", categoryId: 1, status: "available" }],
});
export type NewPet = Static<typeof NewPet>;

const petId = Int64("assigned by the service, ascending from 1, never used twice", 1n, [1]);
const petProperties = { id: petId, ...ownProperties };

/** An animal: a NewPet and the identifier that the service assigned. An absent status stays absent. */
export const Pet = Type.Object(petProperties, {
	component: "Pet",
	description: "an animal",
	examples: [{ id: 1, name: "Rex", categoryId: 1, status: "available" }],
});
export type Pet = Static<typeof Pet>;

export const Pets = Type.Array(Pet, {
	component: "Pets",
	description: "animals by ascending id",
	examples: [[{ id: 1, name: "Rex", categoryId: 1, status: "available" }]],
});
export type Pets = Static<typeof Pets>;

/** The fields in the order of the contract. */
export const newPetFields = Object.keys(NewPet.properties) as (keyof NewPet)[];
export const petFields = Object.keys(Pet.properties) as (keyof Pet)[];

/** An animal in the service or in its client. The client uses a number for an id that a number holds exactly. */
export type AnyPet = { [Field in keyof Pet]: Pet[Field] extends bigint | undefined ? Pet[Field] | number : Pet[Field] };

const fields = petFields.map((name) => ({ name, start: `,"${name}":` }));

/** An animal as JSON, with exact numbers and the fields in the order of the contract; faster than `toJson`. */
export function petJson(pet: Omit<AnyPet, "id"> & Partial<AnyPet>): string {
	let text = "";
	for (const { name, start } of fields) {
		const value = pet[name];
		if (value !== undefined) text += start + (typeof value === "bigint" ? value.toString() : JSON.stringify(value));
	}
	return `{${text.slice(1)}}`;
}

const idStart = '{"id":';

export function idOfPetJson(json: string): bigint {
	return BigInt(json.slice(idStart.length, json.indexOf(",")));
}
