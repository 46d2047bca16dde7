// The curl commands that the banner, the console, the reference and documents show.

/** The parts of a curl command that reads the key from the shell. @param target the URL, with variables of the shell */
export function curlOf(target: string): string[] {
	return [`curl "${target}"`, '-H "Authorization: Bearer $ANIMAL_STORE_KEY"'];
}

export function curlWith(body: string, target: string): string[] {
	return [...curlOf(target), '-H "Content-Type: application/json"', `-d '${body.replaceAll("'", `'\\''`)}'`];
}

/** The command that adds a first animal: the same in the banner, the README, the console and the reference. */
export function curlForFirst(target: string): string[] {
	return curlWith('{"name":"Rex","categoryId":1}', target);
}

/** One command with each part on its own line. */
export function inLines(parts: string[]): string {
	return parts.join(" \\\n  ");
}
