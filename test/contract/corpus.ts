// The corpus of requests and replies in test/contract/corpus: a file for each family, and the texts that replies share.
// A family has rows, each of which replaces the § of templates, and below each row the replies to it:
//
//     ! NAME=value    a setting of the service
//     ^ instant       the service's clock from here on
//     = name text     a word: {name} stands for the text, {nothing} for no text; corpus.test.ts adds keys, as {full}
//     @ name text     a template; each later row is sent in every template of the last consecutive lines. If the name
//                     ends with *, the connection is new, else it has served other requests
//     a row
//     	names	head	its <own> values	body	…	open
//
// Heads and bodies that replies share are in replies.txt, below the words that stand for them in the rows.
//
// In rows and texts, \r, \n, \t, \\ and \xff are bytes. {3×text} repeats the text, and {length} is the length of the
// part after the first empty line. \| starts another packet, and \. closes the client's side; {cut 5} starts another
// packet after 5 bytes, and {first 5} closes the client's side after 5 bytes. The test writes only replies.txt and the
// lines that begin with a tab.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { wordsFor } from "./corpus-names.ts";

const folder = fileURLToPath(new URL("./corpus/", import.meta.url));
const repliesPath = `${folder}replies.txt`;

export interface Family {
	name: string;
	lines: string[];
	settings: Record<string, string>;
	words: Record<string, string>;
	cases: Case[];
}

export interface Case {
	/** The index of the row in the family's lines. */
	row: number;
	template: string;
	/** The template with the row in it. Words and escapes are not replaced yet. */
	request: string;
	at: string;
	/** For each reply: its head, its `<own>` values, its body (`-` if empty); then `open` or `closed`. Or their names. */
	recorded: string[];
	/** The received replies in the same form, but without names. */
	received: string[];
}

export function readFamilies(): Family[] {
	const names = readdirSync(folder).filter((name) => name.endsWith(".requests.txt"));
	return names.sort().map((name) => parseFamily(name, readFileSync(folder + name, "utf8").split("\n")));
}

function parseFamily(name: string, lines: string[]): Family {
	const family: Family = { name, lines, settings: {}, words: {}, cases: [] };
	let templates: [name: string, text: string][] = [];
	let at = "2027-01-01T00:00:00.000Z";
	for (const [row, line] of lines.entries()) {
		const [, mark = "", rest = ""] = /^([#!^=@]) (.*)$/.exec(line) ?? [];
		const [, key = "", value = ""] = /^([^\s=]+)[= ](.*)$/.exec(rest) ?? [];
		if (mark === "!") family.settings[key] = value;
		else if (mark === "^") at = rest;
		else if (mark === "=") family.words[key] = value;
		else if (mark === "@") templates = [...(lines[row - 1]?.startsWith("@") ? templates : []), [key, value]];
		else if (line.startsWith("\t")) {
			const [names = "", ...recorded] = line.slice(1).split("\t");
			for (const one of names.split(" ").map((found) => family.cases.findLast(({ template }) => template === found)))
				if (one) one.recorded = recorded;
		} else if (mark !== "#" && line !== "")
			for (const [template, text] of templates)
				family.cases.push({ row, template, request: text.replace("§", () => line), at, recorded: [], received: [] });
	}
	return family;
}

const blocks = readFileSync(repliesPath, "utf8").split("\n\n");
/** Shared texts by name. */
let textOf = new Map(
	blocks.map((block) => [block.split("\n", 1)[0] ?? "", block.slice(block.indexOf("\n") + 1).trimEnd()]),
);
let nameOf = new Map([...textOf].map(([name, text]) => [text, name]));

/** Whether replies.txt has the text. Short texts, and created animals, are recorded with their case. */
const isShared = (text: string) => text.startsWith("HTTP/") || (text.length > 60 && !text.startsWith('{"id":'));

/** The texts that were recorded, without names. */
export const textsOf = ({ recorded }: Case) => recorded.map((field) => textOf.get(field) ?? field);

/** The replies as they were on the wire. */
export function wireText(texts: string[]): string {
	const rest = [...texts];
	let text = "";
	while (rest.length > 1) {
		const head = (rest.shift() ?? "").replaceAll("<own>", () => rest.shift() ?? "");
		const body = rest.shift();
		text += `${head}\n\n${body === "-" ? "" : `${body}\n\n`}`;
	}
	return text + rest.join("");
}

/** Records the replies: below the rows of the families, and in replies.txt. */
export function writeFamilies(families: Family[]): void {
	nameTexts(families.flatMap(({ cases }) => cases.flatMap(({ received }) => received.filter(isShared))));
	const namesOf = ({ received }: Case) => received.map((text) => nameOf.get(text) ?? text).join("\t");
	for (const { name, lines, cases } of families) {
		const casesOf = Map.groupBy(cases, ({ row }) => row);
		const written = lines.flatMap((line, row) => {
			const outcomes = Map.groupBy(casesOf.get(row) ?? [], namesOf);
			const templatesOf = (same: Case[]) => same.map(({ template }) => template).join(" ");
			const below = [...outcomes].map(([names, same]) => `\t${templatesOf(same)}\t${names}`);
			return line.startsWith("\t") ? [] : [line, ...below];
		});
		writeFileSync(folder + name, written.join("\n"));
	}
	const { compare } = new Intl.Collator("en", { numeric: true });
	const sorted = [...textOf].sort(([one], [other]) => compare(one, other));
	writeFileSync(repliesPath, sorted.map(([name, text]) => `${name}\n${text}\n`).join("\n"));
}

/** A known text keeps its name, so that few names change. Texts with the same words get a number. */
function nameTexts(texts: string[]): void {
	const names = new Map(texts.flatMap((text) => (nameOf.has(text) ? [[text, nameOf.get(text) ?? ""]] : [])));
	const taken = new Set(names.values());
	for (const text of texts) {
		if (names.has(text)) continue;
		let name = wordsFor(text);
		for (let number = 2; taken.has(name); number++) name = `${wordsFor(text)} (${number})`;
		names.set(text, name);
		taken.add(name);
	}
	nameOf = names;
	textOf = new Map([...names].map(([text, name]) => [name, text]));
}
