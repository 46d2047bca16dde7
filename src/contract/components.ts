// The named schemas of the contract. A name belongs to one schema, and the schema carries it wherever it is used, so that the
// OpenAPI document can refer to it. What a schema says, its description above all, plays no part in that.

import type { TSchema } from "typebox";

const registered = new Map<string, TSchema>();
/** TypeBox keeps symbols when it makes a schema optional; JSON drops them. */
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

/** All of them, as the modules that declare them were loaded. */
export function components(): ReadonlyMap<string, TSchema> {
	return registered;
}
