// Converts the Markdown of the OpenAPI document's descriptions to HTML: headings, paragraphs, lists, tables, code, bold
// and links. Other Markdown stays unchanged; all text is escaped.

import { highlight } from "./highlight.ts";
import { type Html, html } from "./html.ts";

export interface Chapter {
	/** The id that links use, such as `safe-retries`. */
	id: string;
	title: string;
	body: Html;
}

/** The chapters: each second-level heading with the text below it. */
export function chapters(text: string): Chapter[] {
	return text
		.split(/^## /m)
		.slice(1)
		.map((chapter) => {
			const [title = ""] = chapter.split("\n", 1);
			return { id: slug(title), title, body: markdown(chapter.slice(title.length)) };
		});
}

function slug(title: string): string {
	return title.toLowerCase().replaceAll(/\W+/g, "-");
}

export function markdown(text: string): Html {
	const blocks = text.matchAll(/^```(?<language>\w*)\n(?<code>[\s\S]*?)\n```$|(?<other>(?:^(?!```).+(?:\n|$))+)/gm);
	return html`${[...blocks].map(({ groups = {} }) => {
		const { language = "", code, other = "" } = groups;
		return code === undefined ? block(other.trimEnd()) : codeBlock(code, language);
	})}`;
}

/** A block of code. reference.js adds a copy button. */
export function codeBlock(code: string, language: string): Html {
	return html`<div class="code"><pre tabindex="0"><code>${highlight(code, language)}</code></pre></div>`;
}

function block(text: string): Html {
	const lines = text.split("\n");
	if (text.startsWith("| ")) return table(lines);
	if (text.startsWith("- ")) return html`<ul>${items(text).map((item) => html`<li>${inline(item)}</li>`)}</ul>`;
	return html`<p>${inline(lines.join(" "))}</p>`;
}

function items(list: string): string[] {
	return list
		.split(/^- /m)
		.slice(1)
		.map((item) => item.replaceAll(/\s+/g, " ").trim());
}

function table([head = "", , ...rows]: string[]): Html {
	const cells = (row: string) =>
		row
			.slice(1, -1)
			.split("|")
			.map((cell) => inline(cell.trim()));
	const body = rows.map((row) => {
		const [first, ...others] = cells(row);
		return html`<tr><th scope="row">${first}</th>${others.map((cell) => html`<td>${cell}</td>`)}</tr>`;
	});
	return html`<table>
<thead><tr>${cells(head).map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>${body}</tbody></table>`;
}

/** Code, bold and links within a line. */
export function inline(text: string): Html {
	const parts = text.split(/(`[^`]+`|\*\*.+?\*\*|\[[^\]]+\]\([^)]+\))/);
	return html`${parts.map((part) => {
		if (part.startsWith("`")) return html`<code>${part.slice(1, -1)}</code>`;
		if (part.startsWith("**")) return html`<strong>${inline(part.slice(2, -2))}</strong>`;
		const [, label, target] = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(part) ?? [];
		return label ? html`<a href="${target}">${label}</a>` : html`${part}`;
	})}`;
}
