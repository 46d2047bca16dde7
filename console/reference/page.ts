// The reference page, which the build creates from the OpenAPI document. The page can be read without scripts. A
// script switches and copies samples (reference.js).

import { type OpenApiDocument, openApiJson, type SchemaObject } from "../../openapi/document.ts";
import { type Html, html } from "./html.ts";
import { type Chapter, chapters, codeBlock, markdown } from "./markdown.ts";
import { type Described, operationSection, operationsOf } from "./operation.ts";
import { fieldRows, sentence } from "./values.ts";

export function referencePage(document: OpenApiDocument): string {
	const { info, components, tags } = document;
	const guide = chapters(info.description);
	const operations = operationsOf(document);
	const title = `${info.title} API reference`;
	const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<meta name="description" content="${info.summary}">
<link rel="icon" href="docs/mark.svg" type="image/svg+xml">
<link rel="service-desc" type="application/json" href="openapi.json">
<link rel="stylesheet" href="docs/reference.css">
<script type="module" src="docs/reference.js"></script>
</head>
<body>
<a class="skip button" href="#content">Skip to the content</a>
${header()}
${contents(guide, operations, Object.keys(components.schemas))}
<main id="content">
<section class="intro">
<h1>${title}</h1>
<p class="lead">${info.summary}
<span class="fact">Version ${info.version}, described by <a href="openapi.json">openapi.json</a></span></p>
</section>
${guide.map(chapterSection)}
<section class="intro" aria-labelledby="operations-title">
<h2 class="part" id="operations-title">Operations</h2>
${tags.map(({ description }) => markdown(description))}</section>
${operations.map((operation) => operationSection(operation, components))}
<section class="intro" aria-labelledby="objects-title">
<h2 class="part" id="objects-title">Objects</h2>
</section>
${Object.entries(components.schemas).map(([name, schema]) => objectSection(name, schema, components.schemas))}
</main>
</body>
</html>
`;
	return page.html;
}

function header(): Html {
	return html`<header>
<a class="wordmark" href="console"><img src="docs/mark.svg" alt="" width="22" height="22"><span>animal-store</span></a>
<nav aria-label="Pages">
<a href="console#/animals">Animals</a>
<a href="console#/changes">Changes</a>
<a href="docs" aria-current="page">Reference</a>
</nav>
<button class="quiet menu" type="button" popovertarget="contents">Contents</button>
</header>`;
}

/** The contents: next to the text on wide screens, behind a button on narrow ones. */
function contents(guide: Chapter[], operations: Described[], objects: string[]): Html {
	const group = (title: string, links: Html[]) =>
		html`<p class="group">${title}</p><ul>${links.map((link) => html`<li>${link}</li>`)}</ul>`;
	return html`<nav id="contents" popover aria-label="Contents">
${group(
	"Guide",
	guide.map(({ id, title }) => html`<a href="#${id}">${title}</a>`),
)}
${group(
	"Operations",
	operations.map(
		({ method, operation: { operationId, summary } }) =>
			html`<a href="#${operationId}">${summary} <span class="method ${method}">${method}</span></a>`,
	),
)}
${group(
	"Objects",
	objects.map((name) => html`<a href="#${name}">${name}</a>`),
)}
</nav>`;
}

function chapterSection({ id, title, body }: Chapter): Html {
	return html`<section class="chapter" id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${body}
</section>`;
}

function objectSection(name: string, schema: SchemaObject, schemas: Record<string, SchemaObject>): Html {
	const [example] = schema.examples ?? [];
	const code = example !== undefined && codeBlock(openApiJson(example), "json");
	return html`<section class="operation object" id="${name}" aria-labelledby="${name}-title">
<div class="text">
<h2 id="${name}-title">${name}</h2>
<p>${sentence(schema.description ?? "")}</p>
${schema.properties && fieldRows(schema, schemas)}
</div>
<div class="trial">${code && html`<div class="card">${code}</div>`}</div>
</section>`;
}
