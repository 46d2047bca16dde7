// The one error of this room: a file that cannot be read as a whole, as opposed to a row that breaks a rule.

/** The message is one sentence for people. It names the fix, and no file: the caller knows the name. */
export class FileError extends Error {
	override readonly name = "FileError";
	/** The line of the file, from 1; undefined when the whole file is meant. */
	readonly line: number | undefined;

	constructor(message: string, line?: number) {
		super(message);
		this.line = line;
	}
}

/** Names from the file, short enough for a message: at most five, each quoted. */
export function quoteNames(names: readonly string[]): string {
	const quoted = names.slice(0, 5).map((name) => JSON.stringify(name.slice(0, 40)));
	return quoted.join(", ") + (names.length > 5 ? ` and ${names.length - 5} more` : "");
}
