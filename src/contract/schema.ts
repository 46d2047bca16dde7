// The kinds of JSON Schemas that the contract uses, each with the TypeScript type of its values.

/** The name of a property that exists only for TypeScript: no schema has it at run time. */
declare const type: unique symbol;

/** A schema whose values have the type `Value`. */
export interface TSchema<Value = unknown> {
	readonly [type]: Value;
	readonly type?: string;
	readonly format?: string;
	/** The rule that error messages quote. */
	readonly description?: string;
	readonly default?: number;
	readonly enum?: readonly unknown[];
	/** In Unicode code points. */
	readonly minLength?: number;
	readonly maxLength?: number;
	/** A regular expression, used with the flag `u`. */
	readonly pattern?: string;
	readonly minimum?: number;
	readonly maximum?: number;
	readonly examples?: unknown[];
	readonly "x-extensible-enum"?: string[];
	/** The schema's name among the components of the OpenAPI document, which refers to the schema by this name. */
	readonly component?: string;
	/**
	 * Keywords that replace the schema's keywords in the OpenAPI document, so that tools of all languages understand it.
	 * The check is at least as strict as these keywords. Some of its rules cannot be stated in a schema.
	 */
	readonly published?: object;
}

export interface TOptional {
	readonly optional: true;
}

type Properties = Record<string, TSchema>;
type OptionalNames<P> = { [Name in keyof P]: P[Name] extends TOptional ? Name : never }[keyof P];
type Flat<T> = { [Name in keyof T]: T[Name] };
type ObjectOf<P extends Properties> = Flat<
	{ [Name in Exclude<keyof P, OptionalNames<P>>]: Static<P[Name]> } & {
		[Name in OptionalNames<P>]?: Static<P[Name]>;
	}
>;

export interface TObject<P extends Properties = Properties, Value = unknown> extends TSchema<Value> {
	readonly type: "object";
	readonly properties: P;
	readonly required: string[];
}

export type Static<S extends TSchema> = S[typeof type];

/** The allowed keywords: the check must know each of them. */
type Keywords = Omit<TSchema, typeof type>;

function schemaOf<Schema extends TSchema>(keywords: object): Schema {
	return keywords as Schema;
}

export const Type = {
	String: (keywords: Keywords) => schemaOf<TSchema<string>>({ type: "string", ...keywords }),
	Integer: (keywords: Keywords) => schemaOf<TSchema<number>>({ type: "integer", ...keywords }),
	Enum: <const Value>(values: readonly Value[], keywords: Keywords) =>
		schemaOf<TSchema<Value>>({ enum: values, ...keywords }),
	Array: <Item extends TSchema>(items: Item, keywords: Keywords) =>
		schemaOf<TSchema<Static<Item>[]> & { items: Item }>({ type: "array", items, ...keywords }),
	/** A schema whose values have another TypeScript type than its keywords say. */
	Unsafe: <Value>(keywords: Keywords) => schemaOf<TSchema<Value>>(keywords),
	Optional: <Schema extends TSchema>(schema: Schema): Schema & TOptional => ({ ...schema, optional: true }),
	/** An object with these properties; other properties are allowed. */
	Object<P extends Properties>(properties: P, keywords: Keywords = {}) {
		const required = Object.keys(properties).filter((name) => !("optional" in (properties[name] ?? {})));
		return schemaOf<TObject<P, ObjectOf<P>>>({ type: "object", required, properties, ...keywords });
	},
};
