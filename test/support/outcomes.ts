// Recorded outcomes: for each text of a file in test/outcomes, what is done with it, and a hash of what is done with
// hundreds of variants of it, which have one character more, less or another. A test fails if any outcome changes.

import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { after } from "node:test";
import { toJson } from "../../src/contract/json.ts";

export type Do = (text: string) => unknown;

/** Yields the text in other cases, in pairs and without a character, with another one, and with one more. */
function* variantsOf(text: string): Generator<string> {
	yield* [text.toUpperCase(), text.toLowerCase(), text + text, `${text},${text}`, `${text}\n`];
	const signs = Array.from(text);
	for (const [at, sign] of signs.entries()) {
		const [before, after] = [signs.slice(0, at).join(""), signs.slice(at + 1).join("")];
		const code = sign.codePointAt(0) ?? 0;
		const others = [code - 1, code + 1].map((other) => String.fromCodePoint(Math.max(other, 1)));
		const cases = [sign.toUpperCase(), sign.toLowerCase()].filter((other) => other !== sign);
		for (const other of ["", sign + sign, ...others, ...cases, "0", "9", "z", " "]) yield before + other + after;
		for (const added of ["0", "9", " ", "-", "_", ".", ",", "/", "a", "Z", "é", "\t", '"'])
			yield before + added + sign + after;
	}
}

async function outcomeOf(of: Do, text: string): Promise<string> {
	try {
		return String(toJson(await of(text)));
	} catch (error) {
		const { name, message } = error as Error;
		return name === "SyntaxError" ? name : toJson(message); // The messages of V8 change.
	}
}

const isWriting = process.env["WRITE_OUTCOMES"] === "1";
const isShowing = process.env["SHOW_OUTCOMES"] === "1";
const hint =
	"if this is intended: run this test with WRITE_OUTCOMES=1, then look at git diff test/outcomes; a line ends with a " +
	"hash of the outcomes of all variants, which SHOW_OUTCOMES=1 prints";

/**
 * Returns a function that compares the outcomes of another one with those in a part of the file, which begins with its
 * name. Each further line has a text, its outcome, and the number of variants with the hash of their outcomes.
 */
export function outcomesIn(file: string) {
	const path = new URL(`../outcomes/${file}.txt`, import.meta.url);
	const parts = readFileSync(path, "utf8")
		.trim()
		.split("\n\n")
		.map((part) => part.split("\n"));
	after(() => {
		if (isWriting) writeFileSync(path, `${parts.map((part) => part.join("\n")).join("\n\n")}\n`);
	});

	/** @param most the number of variants of each text */
	return async (name: string, of: Do, most = Infinity): Promise<void> => {
		const part = parts.find(([title]) => title === name) ?? [];
		assert.ok(part.length > 1, `${path} has no texts for ${name}`);
		const lines = [name];
		for (const [given = ""] of part.slice(1).map((line) => line.split("\t"))) {
			const text = JSON.parse(`"${given}"`);
			const all = [...new Set(variantsOf(text))];
			const step = Math.max(1, Math.floor(all.length / most));
			const variants = all.filter((_, at) => most > 0 && at % step === 0);
			const outcome = await outcomeOf(of, text);
			const outcomes: string[] = [];
			for (const variant of variants) outcomes.push(`${JSON.stringify(variant)}\t${await outcomeOf(of, variant)}`);
			if (isShowing) console.log([name, given, ...outcomes].join("\n"));
			const digest = hash("sha256", outcomes.join("\n"), "base64url").slice(0, 8);
			lines.push(`${given}\t${outcome}\t${variants.length} ${digest}`);
		}
		if (isWriting) part.splice(0, part.length, ...lines);
		else assert.deepEqual(lines, part, hint);
	};
}
