// The command line that banner, console, reference and documents show. Its options exist since curl 7.68.

/** The parts of a curl command that reads the key from the shell. @param target the URL, with variables of the shell */
export function curlOf(target: string): string[] {
	return [`curl "${target}"`, '-H "Authorization: Bearer $ANIMAL_STORE_KEY"'];
}

/** The same with a JSON body, which makes it a POST. */
export function curlWith(body: string, target: string): string[] {
	return [...curlOf(target), '-H "Content-Type: application/json"', `-d '${body.replaceAll("'", `'\\''`)}'`];
}

/** Adds a first animal: the same in the banner, the README, the console and the reference. */
export function curlForFirst(target: string): string[] {
	return curlWith('{"name":"Rex","categoryId":1}', target);
}

/** The parts, each in its own line of one command. */
export function inLines(parts: string[]): string {
	return parts.join(" \\\n  ");
}
