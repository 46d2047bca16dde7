// Reads the settings file of `--env-file`. Nothing in the file is expanded or escaped. A value that other readers of
// such files would cut or change must be in quotes.

import { readFileSync, statSync } from "node:fs";
import { ConfigError, type EnvFile, problemOfSettingName, reasonOf } from "../config.ts";

/** @throws ConfigError */
export function readEnvFile(path: string): EnvFile {
	const refuse = (reason: string) => new ConfigError([`--env-file names ${path}, which ${reason}`]);
	let text: string;
	try {
		// A pipe is refused, because Node has already read it to its end.
		if (!statSync(path).isFile()) throw refuse("is not a regular file");
		text = new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
	} catch (error) {
		if (error instanceof ConfigError) throw error;
		throw refuse(error instanceof TypeError ? "is not UTF-8" : reasonOf(error));
	}
	return parseEnvFile(path, text);
}

const assignment = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s;

/** Each line is NAME=value, a comment or blank. @throws ConfigError that names each wrong line, without its value */
export function parseEnvFile(path: string, text: string): EnvFile {
	const values: Record<string, string> = {};
	const lines: Record<string, number> = {};
	const problems: string[] = [];
	for (const [index, line] of text.split("\n").entries()) {
		const trimmed = line.trim();
		if (trimmed === "" || trimmed.startsWith("#")) continue;
		const [, name, given = ""] = assignment.exec(trimmed) ?? [];
		const problem = problemOfAssignment(name, given, lines);
		if (problem !== undefined) problems.push(`line ${index + 1} of ${path} ${problem}`);
		if (name === undefined) continue;
		values[name] = /^["']/.test(given) ? given.slice(1, -1) : given;
		lines[name] ??= index + 1;
	}
	if (problems.length > 0) throw new ConfigError(problems);
	return { path, values, lines };
}

function problemOfAssignment(name: string | undefined, given: string, lines: EnvFile["lines"]): string | undefined {
	if (name === undefined) return "must be NAME=value, without blanks around the =, or a comment";
	if (Object.hasOwn(lines, name)) return `sets ${name} again, after line ${lines[name]}`;
	const problem = problemOfSettingName(name);
	if (problem !== undefined) return `names ${name}, which ${problem}`;
	const [quote = ""] = /^["']/.exec(given) ?? [];
	const end = quote === "" ? -1 : given.indexOf(quote, 1);
	if (quote !== "" && end === -1) return `does not close the quote of ${name}`;
	if (quote !== "" && end < given.length - 1) return `has text after the closing quote of ${name}`;
	if (given === quote + quote) return `gives ${name} no value: remove the line`;
	if (/\p{Cc}/u.test(given)) return `has a control character in ${name}`;
	if (quote === "" && /[\s"'#$`\\]/.test(given))
		return `needs quotes around the value of ${name}, because it has a blank, quote, #, $, \` or \\`;
	return undefined;
}
