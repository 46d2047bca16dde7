// Checks that an OpenAPI document only adds to an earlier document of the same version, so that programs written for
// the earlier document keep working (interface document §9: within /v1, nothing is removed or changes its meaning).

interface Schema {
	$ref?: string;
	type?: string;
	format?: string;
	properties?: Record<string, Schema>;
	required?: string[];
	enum?: unknown[];
	items?: Schema;
	minimum?: number;
	maximum?: number;
	minLength?: number;
	maxLength?: number;
}

interface Parameter {
	name: string;
	in: string;
	required?: boolean;
	schema?: Schema;
}

interface Content {
	content?: Record<string, { schema?: Schema }>;
}

interface Operation {
	operationId?: string;
	parameters?: Parameter[];
	requestBody?: Content & { required?: boolean };
	responses?: Record<string, Content & { $ref?: string; headers?: Record<string, unknown> }>;
	security?: unknown;
}

export interface Document {
	paths: Record<string, Record<string, Operation>>;
	components?: {
		schemas?: Record<string, Schema>;
		responses?: Record<string, Content>;
		parameters?: Record<string, Parameter>;
	};
}

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/** One sentence for each change that breaks programs written for the earlier document. */
export function breakingChanges(before: Document, after: Document): string[] {
	return Object.entries(before.paths).flatMap(([path, item]) =>
		methods.flatMap((method) => {
			const [old, now] = [item[method], after.paths[path]?.[method]];
			const place = `${method.toUpperCase()} ${path}`;
			if (!old) return [];
			if (!now) return [`${place} was removed`];
			return operationChanges(place, { document: before, operation: old }, { document: after, operation: now });
		}),
	);
}

interface Side {
	document: Document;
	operation: Operation;
}

function operationChanges(place: string, before: Side, after: Side): string[] {
	const changes: string[] = [];
	const [old, now] = [before.operation, after.operation];
	if (old.operationId !== now.operationId) changes.push(`${place} was renamed to ${now.operationId}`);
	if (JSON.stringify(old.security) !== JSON.stringify(now.security)) changes.push(`${place} has different security`);
	const parametersOf = ({ operation, document }: Side) =>
		new Map(
			(operation.parameters ?? [])
				.map((given) => resolve(given, document))
				.map((one) => [`${one.in} ${one.name}`, one]),
		);
	const [known, given] = [parametersOf(before), parametersOf(after)];
	for (const [name, parameter] of known) {
		const later = given.get(name);
		if (!later) changes.push(`${place}: the parameter ${name} was removed`);
		else changes.push(...inputChanges(`${place}: the parameter ${name}`, schemasOf(parameter, later, before, after)));
	}
	for (const [name, { required }] of given) {
		if (required && known.get(name)?.required !== true) changes.push(`${place}: the parameter ${name} is now required`);
	}
	for (const [type, { schema }] of Object.entries(old.requestBody?.content ?? {})) {
		const later = now.requestBody?.content?.[type];
		if (!later) changes.push(`${place}: the body ${type} is no longer accepted`);
		else changes.push(...inputChanges(`${place}: the body`, schemasOf({ schema }, later, before, after)));
	}
	for (const [status, reply] of Object.entries(old.responses ?? {})) {
		const later = now.responses?.[status];
		if (!later) {
			changes.push(`${place}: reply ${status} was removed`);
			continue;
		}
		const [was, is] = [resolve(reply, before.document), resolve(later, after.document)];
		for (const [type, { schema }] of Object.entries(was.content ?? {})) {
			const laterContent = is.content?.[type];
			if (!laterContent) changes.push(`${place}: reply ${status} is no longer ${type}`);
			else
				changes.push(...outputChanges(`${place}: reply ${status}`, schemasOf({ schema }, laterContent, before, after)));
		}
		for (const header of Object.keys(was.headers ?? {}))
			if (!is.headers?.[header]) changes.push(`${place}: reply ${status} no longer has the header ${header}`);
	}
	return changes;
}

interface SchemaPair {
	old: Schema;
	now: Schema;
	before: Document;
	after: Document;
}

type Holder = { schema?: Schema | undefined };

function schemasOf({ schema = {} }: Holder, later: Holder, before: Side, after: Side): SchemaPair {
	return { old: schema, now: later.schema ?? {}, before: before.document, after: after.document };
}

/** The later document may accept more, but must accept everything that the earlier document accepted. */
function inputChanges(place: string, pair: SchemaPair): string[] {
	const [old, now] = [resolve(pair.old, pair.before), resolve(pair.now, pair.after)];
	const changes = typeChanges(place, old, now);
	for (const value of old.enum ?? [])
		if (now.enum && !now.enum.includes(value)) changes.push(`${place} no longer accepts ${value}`);
	if (!old.enum && now.enum) changes.push(`${place} now accepts only some values`);
	for (const [limit, isNarrower] of [
		["minimum", (was = -Infinity, is = -Infinity) => is > was],
		["minLength", (was = 0, is = 0) => is > was],
		["maximum", (was = Infinity, is = Infinity) => is < was],
		["maxLength", (was = Infinity, is = Infinity) => is < was],
	] as [keyof Schema & ("minimum" | "maximum" | "minLength" | "maxLength"), (was?: number, is?: number) => boolean][])
		if (isNarrower(old[limit], now[limit])) changes.push(`${place} has a narrower ${limit}`);
	for (const name of now.required ?? [])
		if (!old.required?.includes(name)) changes.push(`${place} now requires ${name}`);
	return [...changes, ...memberChanges(place, { ...pair, old, now }, inputChanges)];
}

/** Replies may have more fields, but no field that callers read may be missing. */
function outputChanges(place: string, pair: SchemaPair): string[] {
	const [old, now] = [resolve(pair.old, pair.before), resolve(pair.now, pair.after)];
	const changes = typeChanges(place, old, now);
	for (const name of old.required ?? [])
		if (!now.required?.includes(name)) changes.push(`${place}: ${name} is no longer required`);
	for (const value of now.enum ?? [])
		if (old.enum && !old.enum.includes(value)) changes.push(`${place} may now be ${value}`);
	return [...changes, ...memberChanges(place, { ...pair, old, now }, outputChanges)];
}

function typeChanges(place: string, old: Schema, now: Schema): string[] {
	return (["type", "format"] as const).flatMap((key) => (old[key] === now[key] ? [] : [`${place} has another ${key}`]));
}

function memberChanges(place: string, pair: SchemaPair, changesOf: typeof inputChanges): string[] {
	const fields = Object.entries(pair.old.properties ?? {}).flatMap(([name, old]) => {
		const now = pair.now.properties?.[name];
		return now ? changesOf(`${place}.${name}`, { ...pair, old, now }) : [`${place}.${name} was removed`];
	});
	const { old, now } = pair;
	return old.items && now.items
		? [...fields, ...changesOf(`${place}[]`, { ...pair, old: old.items, now: now.items })]
		: fields;
}

/** The component that a reference names, or the value itself. */
function resolve<Value extends object>(value: Value & { $ref?: string }, document: Document): Value {
	if (value.$ref === undefined) return value;
	let found: unknown = document;
	for (const part of value.$ref.replace("#/", "").split("/"))
		found = (found as Record<string, unknown> | undefined)?.[part];
	return (found ?? {}) as Value;
}
