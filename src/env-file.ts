// The text of a file of settings. Nothing in it is expanded or escaped, and a value that other readers of such files
// would cut or change has to be in quotes.

export interface EnvFile {
	path: string;
	values: Readonly<Record<string, string>>;
	/** The number of the line that sets a name. */
	lines: Readonly<Record<string, number>>;
}

const assignment = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s;

/**
 * Each line is NAME=value, a comment or blank.
 * @param problemOfName what is wrong with a name, to follow it; undefined if the name is known
 * @returns also one sentence for each wrong line, without its value
 */
export function parseEnvFile(
	path: string,
	text: string,
	problemOfName: (name: string) => string | undefined,
): EnvFile & { problems: string[] } {
	const values: Record<string, string> = {};
	const lines: Record<string, number> = {};
	const problems: string[] = [];
	for (const [index, line] of text.split("\n").entries()) {
		const trimmed = line.trim();
		if (trimmed === "" || trimmed.startsWith("#")) continue;
		const [, name, given = ""] = assignment.exec(trimmed) ?? [];
		const problem =
			name === undefined
				? "is not NAME=value, without blanks around the =, nor a comment"
				: Object.hasOwn(lines, name)
					? `sets ${name} again, after line ${lines[name]}`
					: (problemOfName(name) ?? problemOfValue(name, given));
		if (problem !== undefined) problems.push(`line ${index + 1} of ${path} ${problem}`);
		if (name === undefined) continue;
		values[name] = /^["']/.test(given) ? given.slice(1, -1) : given;
		lines[name] ??= index + 1;
	}
	return { path, values, lines, problems };
}

function problemOfValue(name: string, given: string): string | undefined {
	const [quote = ""] = /^["']/.exec(given) ?? [];
	const end = quote === "" ? -1 : given.indexOf(quote, 1);
	if (quote !== "" && end === -1) return `does not close the quote of ${name}`;
	if (quote !== "" && end < given.length - 1) return `goes on after the quote of ${name}`;
	if (given === quote + quote) return `gives ${name} no value: remove the line`;
	if (/\p{Cc}/u.test(given)) return `has a control character in ${name}`;
	if (quote === "" && /[\s"'#$`\\]/.test(given))
		return `needs quotes around the value of ${name}, for a blank, quote, #, $, \` or \\ in it`;
	return undefined;
}
