// Templates for HTML: each value in a template is escaped, unless it is itself a template.

export interface Html {
	readonly html: string;
}

type Part = Html | string | number | bigint | false | undefined | readonly Part[];

export function html(texts: TemplateStringsArray, ...parts: Part[]): Html {
	return { html: texts.reduce((all, text, index) => all + asHtml(parts[index - 1]) + text) };
}

function asHtml(part: Part): string {
	if (part === undefined || part === false) return "";
	if (Array.isArray(part)) return part.map(asHtml).join("");
	return typeof part === "object" && "html" in part ? part.html : escaped(String(part));
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escaped(text: string): string {
	return text.replace(/[&<>"']/g, (character) => entities[character] ?? "");
}
