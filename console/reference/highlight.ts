// Colours for the code on the reference page: strings, numbers and keywords, without a parser for each language.

import { type Html, html } from "./html.ts";

const keywords: Record<string, string> = {
	shell: "curl export echo",
	typescript: "import from const for await of new",
	python: "import from for in if else while",
	go: "package import func if return defer var nil",
	http: "Link",
	json: "true false null",
};

const aliases: Record<string, string> = { sh: "shell", ts: "typescript" };
const text = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`/.source;

/** @param language as in Markdown or `x-codeSamples`; an unknown language has no keywords */
export function highlight(code: string, language: string): Html {
	const name = language.toLowerCase();
	const words = (keywords[aliases[name] ?? name] ?? "").replaceAll(" ", "|");
	const hasNumbers = !["sh", "shell", "http"].includes(name); // In these, numbers occur only in addresses.
	const number = hasNumbers ? "|(?<number>\\b\\d+\\b)" : "";
	const token = new RegExp(`(?<text>${text})${number}${words && `|(?<keyword>\\b(?:${words})\\b)`}`, "g");
	const parts: Html[] = [];
	let end = 0;
	for (const { 0: found, index, groups = {} } of code.matchAll(token)) {
		const kind = Object.keys(groups).find((group) => groups[group] !== undefined);
		parts.push(html`${code.slice(end, index)}<span class="t-${kind}">${found}</span>`);
		end = index + found.length;
	}
	return html`${parts}${code.slice(end)}`;
}
