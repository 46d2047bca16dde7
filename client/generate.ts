// `npm run client` writes client/src/contract.ts: the contract as plain types, so that the client needs no schema
// library.

import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { errorCodes } from "../src/contract/errors.ts";
import { filterNames, filters } from "../src/contract/filters.ts";
import { limitMax } from "../src/contract/operations.ts";
import { isInt64Schema, NewPet, newPetFields, Pet, petFields, petStatuses } from "../src/contract/pet.ts";
import type { TObject, TSchema } from "../src/contract/schema.ts";

export const target = fileURLToPath(new URL("./src/contract.ts", import.meta.url));

const union = (words: readonly string[]) => words.map((word) => `"${word}"`).join(" | ");

function typeOf(schema: TSchema, int64: string): string {
	const { type, enum: values } = schema as { type?: string; enum?: string[] };
	if (isInt64Schema(schema)) return int64;
	if (values) return union(values) === union(petStatuses) ? "PetStatus" : union(values);
	return type === "integer" ? "number" : String(type);
}

/** @param int64 the type of int64 fields */
function interfaceOf(name: string, schema: TObject, int64: string): string {
	const required = new Set(schema.required as string[]);
	const fields = Object.entries(schema.properties).map(([field, property]) => {
		const rule = `\t/** ${property.description} */\n`;
		const type = typeOf(property, int64);
		return required.has(field) ? `${rule}\t${field}: ${type};` : `${rule}\t${field}?: ${type} | undefined;`;
	});
	return `/** ${schema.description} */\nexport interface ${name} {\n${fields.join("\n")}\n}\n`;
}

export function contractTypes(): string {
	const list = (fields: readonly string[]) => fields.map((field) => `"${field}"`).join(", ");
	const int64Fields = petFields.filter((field) => isInt64Schema(Pet.properties[field]));
	return `// The contract as plain types. Generated from src/contract by client/generate.ts: npm run client.

/** The type of int64 fields in results, for each setting of the option \`int64\`. */
export interface Int64Types {
	string: string;
	bigint: bigint;
	number: number;
}

export type Int64Mode = keyof Int64Types;

/** An int64 as the client returns it in this mode. Without a mode: any type that the client accepts. */
export type Int64<Mode extends Int64Mode = Int64Mode> = Int64Types[Mode];

export type PetStatus = ${union(petStatuses)};

${interfaceOf("NewPet", NewPet, "Int64")}
${interfaceOf('Pet<Mode extends Int64Mode = "string">', Pet, "Int64<Mode>")}
/** The codes of the service's errors. Later versions may add codes, so the type accepts any other string, too. */
export type ErrorCode =
${errorCodes.map((code) => `\t| "${code}"`).join("\n")}
	| (string & Record<never, never>);

/** The fields of a NewPet, in the order of the contract. */
export const newPetFields = [${list(newPetFields)}] as const satisfies (keyof NewPet)[];

/** The filters of a list. */
export interface Filter {
${filterNames.map((field) => `\t/** Only animals with this ${filters[field].noun}. */\n\t${field}?: ${typeOf(filters[field].schema, "Int64")} | undefined;`).join("\n")}
}
export const filterNames = [${list(filterNames)}] as const satisfies (keyof Filter)[];

/** The fields of a Pet that are int64. */
export const int64Fields: readonly string[] = [${list(int64Fields)}];

/** The most animals on a page. */
export const limitMax = ${limitMax};
`;
}

if (import.meta.main) writeFileSync(target, contractTypes());
