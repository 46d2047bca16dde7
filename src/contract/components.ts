// The named schemas of the contract. A name belongs to one schema, and the schema carries its name wherever it is used.
// The OpenAPI document refers to a schema by this name, never by its content or description.

import type { TSchema } from "./schema.ts";

const registered = new Map<string, TSchema>();
/** A schema that is made optional keeps its symbols; JSON omits them. */
const componentName = Symbol("component");

/** Gives a schema its name. @throws Error when the name is taken */
export function component<Schema extends TSchema>(name: string, schema: Schema): Schema {
	if (registered.has(name)) throw new Error(`there are two schemas named ${name}`);
	const named = Object.assign(schema, { [componentName]: name });
	registered.set(name, named);
	return named;
}

export function nameOf(schema: object): string | undefined {
	return Reflect.get(schema, componentName) as string | undefined;
}

/** All named schemas, in the order in which their modules were loaded. */
export function components(): ReadonlyMap<string, TSchema> {
	return registered;
}
