// The commands and configurations of a document, for proofs that run them.

import { readFileSync } from "node:fs";
import { programOf } from "./program.ts";

const root = new URL("../..", import.meta.url);

/**
 * The `sh` block of a page that begins with `start`. The tests' own command replaces `npx animal-store`.
 * @param paths more texts to replace, such as paths, and their replacements
 */
export function blockOf(page: string, start: string, paths: Record<string, string> = {}): string {
	const blocks = [...readFileSync(new URL(page, root), "utf8").matchAll(/^```sh\n(.*?)^```$/gms)].map(
		([, text = ""]) => text,
	);
	const found = blocks.find((block) => block.startsWith(start));
	if (found === undefined) throw new Error(`${page} has no block that begins with ${start}`);
	const here = { "npx animal-store": `"${process.execPath}" "${programOf()}"`, ...paths };
	return Object.entries(here).reduce((text, [from, to]) => text.replaceAll(from, to), found);
}

/** The first block of a page in this language. @param replaced texts that it must have, and their replacements */
export function configurationOf(page: string, language: string, replaced: Record<string, string>): string {
	const document = readFileSync(new URL(page, root), "utf8");
	const [, found] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "m").exec(document) ?? [];
	if (found === undefined) throw new Error(`${page} has no block in ${language}`);
	return Object.entries(replaced).reduce((text, [from, to]) => {
		if (!text.includes(from)) throw new Error(`the first ${language} block of ${page} lacks ${from}`);
		return text.replaceAll(from, to);
	}, found);
}
