// The corpus of requests and replies (test/corpus): its files, and the two tables that its replies share. A file has rows, which
// fill the § of templates, and below each row the replies to it:
//
//     ! NAME=value        a setting of the service, before all rows
//     ^ instant           the service's clock from here on
//     = name text         a word: {name} stands for the text
//     @ name text         a template; those of consecutive lines are used for each row that follows. On a connection of its own
//                         if the name ends with *, else on one that has served other requests
//     a row
//     	name	head	the head's <own> values	body	…	open
//
// In rows and texts \r, \n, \t, \\ and \xff are bytes, {3×text} repeats, {length} is the length of what follows the first empty
// line, \| starts another packet and \. closes the client's side; {cut 5} starts another packet after 5 bytes, and {first 5} closes the
// client's side there. Only the lines that begin with a tab are written by the test.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("./corpus/", import.meta.url));

export interface CorpusFile {
	name: string;
	lines: string[];
	settings: Record<string, string>;
	words: Record<string, string>;
	cases: Case[];
}

export interface Case {
	/** The row, as an index of the file's lines. */
	row: number;
	template: string;
	/** The row in its template, with words and escapes. */
	request: string;
	at: string;
	/** What is recorded, without the template's name; undefined for a new case. */
	recorded?: string[];
	/** What came back. */
	outcome?: Outcome;
}

export interface Outcome {
	replies: Reply[];
	/** Whether the connection takes another request. */
	isOpen: boolean;
}

export interface Reply {
	/** Status line and headers, with <own> for each value that is the reply's own. */
	head: string;
	own: string[];
	body: string | undefined;
}

export function corpusFiles(): CorpusFile[] {
	const names = readdirSync(folder).filter((name) => name.endsWith(".requests.txt"));
	return names.sort().map((name) => parse(name, readFileSync(join(folder, name), "utf8").split("\n")));
}

function parse(name: string, lines: string[]): CorpusFile {
	const file: CorpusFile = { name, lines, settings: {}, words: {}, cases: [] };
	let templates: [name: string, text: string][] = [];
	let at = "2027-01-01T00:00:00.000Z";
	for (const [row, line] of lines.entries()) {
		const [, first = "", rest = ""] = /^(\S*) ?(.*)$/.exec(line) ?? [];
		if (line === "" || first === "#") continue;
		const [, key = "", value = ""] = /^([^\s=]+)[= ](.*)$/.exec(rest) ?? [];
		if (first === "!") file.settings[key] = value;
		else if (first === "^") at = rest;
		else if (first === "=") file.words[key] = value;
		else if (first === "@") templates = [...(lines[row - 1]?.startsWith("@") ? templates : []), [key, value]];
		else if (line.startsWith("\t")) {
			const [template, ...recorded] = line.slice(1).split("\t");
			const found = file.cases.findLast((one) => one.template === template);
			if (found) found.recorded = recorded;
		} else
			for (const [template, text] of templates)
				file.cases.push({ row, template, request: text.replace("§", () => line), at });
	}
	return file;
}

/** The texts that replies share, by id. An id names the status, or the code of a failure, and has a number. */
export class Table {
	readonly #path: string;
	readonly texts = new Map<string, string>();

	constructor(name: string) {
		this.#path = join(folder, name);
		for (const block of readFileSync(this.#path, "utf8").split("\n\n")) {
			const end = block.indexOf("\n");
			if (end > 0) this.texts.set(block.slice(0, end), block.slice(end + 1).trimEnd());
		}
	}

	/**
	 * Replaces all texts. A text that is known keeps its id; a changed one takes the id under which most cases had it, so that one
	 * change of all replies changes no id.
	 * @param uses each use of a text, with the id that its case had before
	 */
	assign(uses: { before: string | undefined; prefix: string; text: string }[]): Map<string, string> {
		const idOf = new Map([...this.texts].map(([id, text]) => [text, id]));
		const ids = new Map(uses.flatMap(({ text }) => (idOf.has(text) ? [[text, idOf.get(text) as string]] : [])));
		const taken = new Set(ids.values());
		const votes = Map.groupBy(uses, ({ before, text }) => `${before}\n${text}`);
		for (const [{ before = "", prefix, text } = { prefix: "", text: "" }] of [...votes.values()].sort(
			(one, other) => other.length - one.length,
		)) {
			if (ids.has(text)) continue;
			let id = before.startsWith(`${prefix}.`) ? before : `${prefix}.1`;
			for (let number = 2; taken.has(id); number++) id = `${prefix}.${number}`;
			ids.set(text, id);
			taken.add(id);
		}
		this.texts.clear();
		const collator = new Intl.Collator("en", { numeric: true });
		const sorted = [...ids].sort(([, one], [, other]) => collator.compare(one, other));
		for (const [text, id] of sorted) this.texts.set(id, text);
		return ids;
	}

	write(): void {
		writeFileSync(this.#path, [...this.texts].map(([id, text]) => `${id}\n${text}\n`).join("\n"));
	}
}

export const heads = new Table("heads.txt");
export const texts = new Table("texts.txt");

const placesIn = (head: string) => head.match(/: <own>$/gm)?.length ?? 0;
/** An animal that was created, and what is as short as an id, stays with its case. */
const isShared = (text: string) => text.length > 40 && !/^\{"id":/.test(text);
const shown = (text: string) => text.replaceAll("\\", "\\\\").replaceAll("\t", "\\t").replaceAll("\n", "\\n");

/** The whole outcome that a case has recorded, and the ids in it. */
export function recordedOutcome({ recorded = [] }: Case): { text: string; ids: { head: string; texts: string[] }[] } {
	const ids: { head: string; texts: string[] }[] = [];
	let text = "";
	const rest = [...recorded];
	while (rest.length > 1) {
		const id = rest.shift() ?? "";
		const head = heads.texts.get(id) ?? `unknown head ${id}`;
		const values = rest.splice(0, placesIn(head) + 1);
		ids.push({ head: id, texts: values });
		const [body = "-", ...own] = values.map((value) => texts.texts.get(value) ?? value).reverse();
		text += textOf({ head, own: own.reverse(), body: body === "-" ? undefined : body });
	}
	return { text: `${text}${rest.join()}\n`, ids };
}

function textOf({ head, own, body }: Reply): string {
	const values = own.values();
	const filled = head.replaceAll(/: <own>$/gm, () => `: ${values.next().value}`);
	return `${filled}\n${body === undefined ? "" : `\n${body}\n`}\n`;
}

const stateOf = ({ isOpen }: Outcome) => (isOpen ? "open" : "closed");

export function outcomeText(outcome: Outcome): string {
	const replies = outcome.replies.map((reply) => ({ ...reply, body: reply.body && shown(reply.body) }));
	return `${replies.map(textOf).join("")}${stateOf(outcome)}\n`;
}

/** Writes the outcomes of all cases below their rows, and both tables. */
export function writeCorpus(files: CorpusFile[]): void {
	const uses = files.flatMap(({ cases }) =>
		cases.flatMap((one) => {
			const { ids } = recordedOutcome(one);
			return (one.outcome?.replies ?? []).map((reply, index) => ({ reply, before: ids[index] }));
		}),
	);
	const headIds = heads.assign(
		uses.map(({ reply: { head }, before }) => ({ before: before?.head, text: head, prefix: head.slice(9, 12) })),
	);
	const textIds = texts.assign(
		uses.flatMap(({ reply, before }) =>
			valuesOf(reply).flatMap((text, index) =>
				isShared(text) ? [{ before: before?.texts[index], text, prefix: prefixOf(text) }] : [],
			),
		),
	);
	for (const { name, lines, cases } of files) {
		const written = Map.groupBy(cases, ({ row }) => row);
		const text = lines.flatMap((line, row) => {
			if (line.startsWith("\t")) return [];
			const outcomes = (written.get(row) ?? []).map(({ template, outcome }) => {
				const fields = outcome?.replies.flatMap((reply) => [
					headIds.get(reply.head),
					...valuesOf(reply).map((value) => textIds.get(value) ?? value),
				]);
				return `\t${[template, ...(fields ?? []), outcome && stateOf(outcome)].join("\t")}`;
			});
			return [line, ...outcomes];
		});
		writeFileSync(join(folder, name), text.join("\n"));
	}
	heads.write();
	texts.write();
}

/** What a case says of a reply beside its head. */
function valuesOf({ own, body }: Reply): string[] {
	return [...own, body === undefined ? "-" : shown(body)];
}

function prefixOf(text: string): string {
	const [, code] = /^\{"code":"(\w+)"/.exec(text) ?? [];
	return code ?? (text.startsWith("[") ? "list" : text.startsWith("<http") ? "links" : "text");
}
