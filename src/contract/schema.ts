// JSON Schemas with the TypeScript type of their values: the kinds that the contract and the settings use. A schema has
// the keywords of JSON Schema and nothing else that JSON shows.

/** Only TypeScript sees it: no schema has this property. */
declare const type: unique symbol;
const isOptional = Symbol("optional");

/** A schema whose values have the type `Value`. */
export interface TSchema<Value = unknown> {
	readonly [type]: Value;
	readonly type?: string;
	readonly format?: string;
	/** The rule that error messages quote. */
	readonly description?: string;
	readonly default?: string | number;
	readonly enum?: unknown[];
	readonly maxLength?: number;
	readonly pattern?: string;
	readonly examples?: unknown[];
	readonly [keyword: string]: unknown;
}

/** Marks a property that may be absent. */
export interface TOptional {
	readonly [isOptional]: true;
}

type Properties = Record<string, TSchema>;
type OptionalNames<P> = { [Name in keyof P]: P[Name] extends TOptional ? Name : never }[keyof P];
type Flat<T> = { [Name in keyof T]: T[Name] };
type ObjectOf<P extends Properties> = Flat<
	{ [Name in Exclude<keyof P, OptionalNames<P>>]: Static<P[Name]> } & {
		[Name in OptionalNames<P>]?: Static<P[Name]>;
	}
>;

/** The schema of an object. */
export interface TObject<P extends Properties = Properties, Value = unknown> extends TSchema<Value> {
	readonly type: "object";
	readonly properties: P;
	readonly required: string[];
}

/** The schema of a list. */
export interface TArray<Item extends TSchema> extends TSchema<Static<Item>[]> {
	readonly type: "array";
	readonly items: Item;
}

/** The type of a schema's values. */
export type Static<S extends TSchema> = S[typeof type];

type Keywords = Record<string, unknown>;

function schemaOf<Schema extends TSchema>(keywords: Keywords): Schema {
	return keywords as Schema;
}

export const Type = {
	String: (keywords: Keywords = {}) => schemaOf<TSchema<string>>({ type: "string", ...keywords }),
	Integer: (keywords: Keywords) => schemaOf<TSchema<number>>({ type: "integer", ...keywords }),
	Enum: <const Value>(values: readonly Value[], keywords: Keywords) =>
		schemaOf<TSchema<Value>>({ enum: values, ...keywords }),
	Array: <Item extends TSchema>(items: Item, keywords: Keywords) =>
		schemaOf<TArray<Item>>({ type: "array", items, ...keywords }),
	/** A schema whose values have another type in TypeScript than its keywords say. */
	Unsafe: <Value>(keywords: Keywords) => schemaOf<TSchema<Value>>(keywords),
	/** A property that may be absent. */
	Optional: <Schema extends TSchema>(schema: Schema): Schema & TOptional => ({ ...schema, [isOptional]: true }),
	/** An object with these properties; others are allowed. */
	Object<P extends Properties>(properties: P, keywords: Keywords = {}) {
		const required = Object.keys(properties).filter((name) => !Reflect.has(properties[name] ?? {}, isOptional));
		return schemaOf<TObject<P, ObjectOf<P>>>({ type: "object", required, properties, ...keywords });
	},
};
