// `npm run client` writes client/src/contract.ts: the contract as plain types, so that the client needs no schema
// library.

import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { TObject, TSchema } from "typebox";
import { errorCodes } from "../src/contract/errors.ts";
import { limitMax } from "../src/contract/operations.ts";
import { isInt64Schema, NewPet, newPetFields, Pet, petStatuses } from "../src/contract/pet.ts";

export const target = fileURLToPath(new URL("./src/contract.ts", import.meta.url));

const union = (words: readonly string[]) => words.map((word) => `"${word}"`).join(" | ");

function typeOf(schema: TSchema): string {
	const { type, enum: values } = schema as { type?: string; enum?: string[] };
	if (isInt64Schema(schema)) return "Int64";
	if (values) return union(values) === union(petStatuses) ? "PetStatus" : union(values);
	return type === "integer" ? "number" : String(type);
}

function interfaceOf(name: string, schema: TObject): string {
	const required = new Set(schema.required as string[]);
	const fields = Object.entries(schema.properties).map(([field, property]) => {
		const rule = `\t/** ${Reflect.get(property, "description")} */\n`;
		const type = typeOf(property);
		return required.has(field) ? `${rule}\t${field}: ${type};` : `${rule}\t${field}?: ${type} | undefined;`;
	});
	return `/** ${Reflect.get(schema, "description")} */\nexport interface ${name} {\n${fields.join("\n")}\n}\n`;
}

export function contractTypes(): string {
	const fields = newPetFields.map((field) => `"${field}"`).join(", ");
	return `// The contract as plain types. Generated from src/contract by client/generate.ts: npm run client.

/** An int64, never rounded: a number if that is exact, else a bigint. */
export type Int64 = number | bigint;

export type PetStatus = ${union(petStatuses)};

${interfaceOf("NewPet", NewPet)}
${interfaceOf("Pet", Pet)}
/** The codes of the service's errors. Later versions may add some. */
export type ErrorCode =
${errorCodes.map((code) => `\t| "${code}"`).join("\n")};

/** The fields of a NewPet, in the order of the contract. */
export const newPetFields = [${fields}] as const satisfies (keyof NewPet)[];

/** Most animals on a page. */
export const limitMax = ${limitMax};
`;
}

if (import.meta.main) writeFileSync(target, contractTypes());
