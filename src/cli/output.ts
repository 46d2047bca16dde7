// The output of commands: text at the pace of its reader, results as JSON, and commands that can be pasted.

import { basename } from "node:path";
import { pipeline } from "node:stream/promises";
import { toJson } from "../contract/json.ts";

/** Writes all pieces. When the reader closes the pipe (`| head`), this stops without an error. */
export async function toStdout(pieces: AsyncIterable<string | Uint8Array> | Iterable<string>): Promise<void> {
	try {
		await pipeline(pieces, process.stdout, { end: false });
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw error;
	}
}

export function printJson(value: object): void {
	process.stdout.write(`${toJson(value, 2)}\n`);
}

/** Prints the result of a command: a line of JSON, or the text. */
export function printResult(isJson: boolean | undefined, value: object, text: string): void {
	process.stdout.write(`${isJson ? toJson(value) : text}\n`);
}

/** Quotes a word for a shell. */
export function quoteWord(text: string): string {
	return /^[\p{L}\p{N}:=_.-]+$/u.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The number with its noun: "1 animal", "2 animals". */
export function countOf(count: number | bigint, noun: string): string {
	return `${count} ${noun}${Number(count) === 1 ? "" : "s"}`;
}

/** Formats the examples at the end of --help. */
export function examples(...lines: string[]): string {
	return `\nExamples:\n${lines.map((line) => `  animal-store ${line}\n`).join("")}`;
}

/** A global installation is called by its name; in a checkout or a project, npx finds the command. */
const [, program = ""] = process.argv;
const isOnPath = basename(program) === "animal-store" && !program.includes("node_modules");
const commandName = isOnPath ? "animal-store" : "npx animal-store";

const commands =
	"pets|import|export|serve|config|keys|categories|audit|backup|restore|verify|copy|openapi|help|\\[options\\]";
const call = new RegExp(`(?<![\\w/-])(?:npx )?animal-store (?=(?:${commands})(?![\\w-]))`, "g");

/** The text with each call of the command written as it is called here. */
export function adviseAsCalled(text: string): string {
	return text.replace(call, `${commandName} `);
}
