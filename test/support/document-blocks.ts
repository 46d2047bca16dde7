// The commands and configurations of a document, for tests and proofs that run them.

import { read } from "./checkout.ts";
import { programOf } from "./program.ts";

/** The blocks of a page that are in this language. */
export function blocksOf(text: string, language: string): string[] {
	return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))].map(([, block = ""]) => block);
}

/**
 * The `sh` block of a page that begins with `start`. The tests' own command replaces `npx animal-store`.
 * @param paths more texts to replace, such as paths, and their replacements
 */
export function blockOf(page: string, start: string, paths: Record<string, string> = {}): string {
	const found = blocksOf(read(page), "sh").find((block) => block.startsWith(start));
	if (found === undefined) throw new Error(`${page} has no block that begins with ${start}`);
	const here = { "npx animal-store": `"${process.execPath}" "${programOf()}"`, ...paths };
	return Object.entries(here).reduce((text, [from, to]) => text.replaceAll(from, to), found);
}

/** The first block of a page in this language. @param replaced texts that it must have, and their replacements */
export function configurationOf(page: string, language: string, replaced: Record<string, string>): string {
	const [found] = blocksOf(read(page), language);
	if (found === undefined) throw new Error(`${page} has no block in ${language}`);
	return Object.entries(replaced).reduce((text, [from, to]) => {
		if (!text.includes(from)) throw new Error(`the first ${language} block of ${page} lacks ${from}`);
		return text.replaceAll(from, to);
	}, found);
}
