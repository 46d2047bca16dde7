// Converts the Markdown of the OpenAPI document's descriptions to HTML with marked. HTML within it is shown as text.

import { Marked } from "marked";
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

/** A block of code. reference.js adds a copy button. */
export function codeBlock(code: string, language: string): Html {
	return html`<div class="code"><pre tabindex="0"><code>${highlight(code, language)}</code></pre></div>`;
}

const marked = new Marked({
	renderer: {
		code: ({ text, lang = "" }) => codeBlock(text, lang).html,
		html: ({ text }) => html`${text}`.html,
		/** The first cell of a row is its header. */
		tablecell({ tokens, header }) {
			const cell = this.parser.parseInline(tokens);
			return header ? `<th scope="col">${cell}</th>` : `<td>${cell}</td>`;
		},
		tablerow: ({ text }) => `<tr>${text.replace(/^<td>(.*?)<\/td>/, '<th scope="row">$1</th>')}</tr>`,
	},
});

export function markdown(text: string): Html {
	return { html: marked.parse(text, { async: false }) };
}

/** Code, bold and links within a line. */
export function inline(text: string): Html {
	return { html: marked.parseInline(text, { async: false }) };
}
