// What the OpenAPI document says of a schema instead of what the service checks: rules in the words that the tools of
// all languages understand. They are never stricter than the check, which has rules that no schema can state.

/** A schema that is made optional keeps its symbols; JSON omits them. */
const publishedRules = Symbol("published rules");

/** Gives a schema keywords for the document. They replace the schema's own. */
export function published<Schema extends object>(schema: Schema, rules: object): Schema {
	return Object.assign(schema, { [publishedRules]: { ...rulesOf(schema), ...rules } });
}

/** A schema's own keywords, as the document has them. */
export function asPublished(schema: object): object {
	return { ...schema, ...rulesOf(schema) };
}

function rulesOf(schema: object): object | undefined {
	return Reflect.get(schema, publishedRules) as object | undefined;
}
