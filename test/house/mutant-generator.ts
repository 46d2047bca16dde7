// Generates small mutants of a source file: operators swapped, conditions negated, statements removed, constants
// changed, strings emptied. A tokenizer for strings, templates, comments and regular expressions is enough, because the
// formatter puts a space on both sides of every operator, and never around the angle brackets of a type.

import { transformWithOxc } from "vite";
import { pick } from "../support/random.ts";

/** A replacement in a text. */
export interface Mutation {
	start: number;
	end: number;
	to: string;
}

interface Span {
	kind: "string" | "template" | "comment" | "regex";
	start: number;
	end: number;
}

const starts: [kind: Span["kind"], whole: RegExp][] = [
	["comment", /\/\/[^\n]*|\/\*[\s\S]*?\*\//y],
	["string", /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/y],
	["regex", /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y],
];
const mayPrecedeRegex = /(?:[(,=:[!&|?{};\n]|\breturn|=>)\s*$/;

/** The parts of a text that are not code. The code within a template's `${}` counts as code. */
function nonCode(text: string): Span[] {
	const spans: Span[] = [];
	// For each open template, the number of open braces within its `${}`.
	const braces: number[] = [];
	let place = 0;
	function template(start: number): void {
		const piece = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{|$)/y;
		piece.lastIndex = start + 1;
		place = start + 1 + (piece.exec(text)?.[0].length ?? 0);
		if (text.startsWith("${", place - 2)) braces.push(0);
		spans.push({ kind: "template", start, end: place });
	}
	function skip(): boolean {
		for (const [kind, whole] of starts) {
			whole.lastIndex = place;
			if (kind === "regex" && !mayPrecedeRegex.test(text.slice(Math.max(0, place - 20), place))) continue;
			const [found] = whole.exec(text) ?? [];
			if (found === undefined) continue;
			spans.push({ kind, start: place, end: place + found.length });
			place += found.length;
			return true;
		}
		return false;
	}
	while (place < text.length) {
		const character = text[place];
		if (character === "`") template(place);
		else if (character === "}" && braces.at(-1) === 0) {
			braces.pop();
			template(place);
		} else if (!skip()) {
			if (character === "{" && braces.length > 0) braces.push((braces.pop() ?? 0) + 1);
			if (character === "}" && braces.length > 0) braces.push((braces.pop() ?? 0) - 1);
			place++;
		}
	}
	return spans;
}

const swaps: [from: RegExp, to: string][] = [
	[/ < /g, " <= "],
	[/ <= /g, " < "],
	[/ > /g, " >= "],
	[/ >= /g, " > "],
	[/ === /g, " !== "],
	[/ !== /g, " === "],
	[/ && /g, " || "],
	[/ \|\| /g, " && "],
	[/ \?\? /g, " && "],
	[/ \+ /g, " - "],
	[/ - /g, " + "],
	[/ \* /g, " / "],
	[/ \/ /g, " * "],
	[/ \+= /g, " -= "],
	[/ -= /g, " += "],
	[/\btrue\b/g, "false"],
	[/\bfalse\b/g, "true"],
	[/\.some\(/g, ".every("],
	[/\.every\(/g, ".some("],
	[/\bMath\.min\b/g, "Math.max"],
	[/\bMath\.max\b/g, "Math.min"],
	[/\.startsWith\(/g, ".endsWith("],
	[/(?<=[( ])!(?=[\w(])/g, ""],
	[/\bawait /g, ""],
];
/** Statements of one line: a call, an assignment, a throw. */
const statement =
	/(?<=\n\t+)(?:(?:await |void )?[\w$.?!]+\([^\n]*\)|[\w$.[\]]+ (?:[-+?|]{0,2})= [^\n]*|[\w$.]+(?:\+\+|--)|throw [^\n]*);(?=\n)/g;

function ofCode(code: string): Mutation[] {
	const found = (pattern: RegExp, to: (text: string) => string): Mutation[] =>
		[...code.matchAll(pattern)].map(({ 0: text, index }) => ({ start: index, end: index + text.length, to: to(text) }));
	return [
		...swaps.flatMap(([from, to]) => found(from, () => to)),
		...found(/(?<![\w$.#])\d[\d_]*(?:\.\d+)?n?\b(?!\.)/g, nextNumber),
		...found(statement, () => ";"),
	];
}

/** Adds 1, or makes a number of thousands ten times as large, because 1 ms more is not a fault. */
function nextNumber(text: string): string {
	const digits = text.replaceAll("_", "");
	if (/000n?$/.test(digits)) return text.replace(/n?$/, (end) => `0${end}`);
	return digits.endsWith("n") ? `${BigInt(digits.slice(0, -1)) + 1n}n` : String(Number(digits) + 1);
}

/** Negates conditions without an operator that is swapped: `if (x)` becomes `if (!(x))`. */
function negations(code: string, text: string): Mutation[] {
	return [...code.matchAll(/\b(?:if|while) \(/g)].flatMap(({ 0: opening, index }) => {
		const start = index + opening.length;
		let depth = 1;
		let end = start;
		for (; depth > 0 && end < code.length; end++) depth += code[end] === "(" ? 1 : code[end] === ")" ? -1 : 0;
		const condition = code.slice(start, end - 1);
		if (/ [<>=!&|]/.test(condition) || condition.startsWith("!")) return [];
		return [{ start, end: end - 1, to: `!(${text.slice(start, end - 1)})` }];
	});
}

function ofSpan(text: string, { kind, start, end }: Span): Mutation[] {
	const whole = text.slice(start, end);
	// The names of modules, and the classes of the console, which affect only its look.
	const isLeftOut = /(?:from|import) $|import\($|class=$/.test(text.slice(Math.max(0, start - 7), start));
	if (kind === "string" && !isLeftOut) return [{ start, end, to: whole.length === 2 ? '"mutant"' : '""' }];
	if (kind !== "regex") return [];
	return [/^\/\^/, /\$(?=\/[a-z]*$)/].flatMap((anchor) => {
		const without = whole.replace(anchor, (found) => found.slice(0, -1));
		return without === whole || without.startsWith("//") ? [] : [{ start, end, to: without }];
	});
}

/** Every mutation of a TypeScript file, with or without JSX, that still parses and changes the code that runs. */
export async function mutationsOf(text: string, file: string): Promise<Mutation[]> {
	const spans = nonCode(text);
	let code = text;
	for (const { start, end } of spans) code = code.slice(0, start) + "\u0001".repeat(end - start) + code.slice(end);
	const all = [...ofCode(code), ...negations(code, text), ...spans.flatMap((span) => ofSpan(text, span))];
	const before = await running(text, file);
	const after = await Promise.all(all.map((mutation) => running(mutated(text, mutation), file).catch(() => before)));
	return all.filter((_, place) => after[place] !== before);
}

/** The JavaScript of a file. @throws if it is not valid TypeScript */
async function running(text: string, file: string): Promise<string> {
	return (await transformWithOxc(text, file, { sourcemap: false })).code;
}

export function mutated(text: string, { start, end, to }: Mutation): string {
	return text.slice(0, start) + to + text.slice(end);
}

/** A random sample of the items. */
export function sample<Item>(items: readonly Item[], count: number, random: () => number): Item[] {
	const rest = [...items];
	const drawn: Item[] = [];
	while (drawn.length < count && rest.length > 0) {
		const item = pick(rest, random);
		drawn.push(item);
		rest.splice(rest.indexOf(item), 1);
	}
	return drawn;
}
