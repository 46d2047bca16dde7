// An operation on the reference page: what it does, its parameters and replies, its samples, and an example reply.

import {
	type OpenApiDocument,
	type OperationObject,
	openApiJson,
	type ParameterObject,
} from "../../openapi/document.ts";
import { type Html, html } from "./html.ts";
import { codeBlock, inline, markdown } from "./markdown.ts";
import { fieldRows, nameIn, parameterRows, sentence } from "./values.ts";

export interface Described {
	method: string;
	path: string;
	operation: OperationObject;
}

type Components = OpenApiDocument["components"];

/** The operations of a document, in the document's order. */
export function operationsOf({ paths }: OpenApiDocument): Described[] {
	return Object.entries(paths).flatMap(([path, methods]) =>
		Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
	);
}

export function operationSection({ method, path, operation }: Described, components: Components): Html {
	const { operationId, summary, description, deprecated } = operation;
	const replies = Object.keys(operation.responses).map((status) => replyRow(status, operation, components));
	return html`<section class="operation" id="${operationId}" aria-labelledby="${operationId}-title">
<div class="text">
<h2 id="${operationId}-title">${summary}${deprecated && html` <span class="pill pending">deprecated</span>`}</h2>
<p class="address"><span class="method ${method}">${method}</span> <code>/v1${path}</code>
<span class="fact">${operationId}</span></p>
${markdown(description)}
${parametersIn("path", "Path parameters", operation)}
${parametersIn("query", "Query parameters", operation)}
${parametersIn("header", "Headers", operation)}
${bodyFields(operation, components)}
</div>
<div class="trial">${samples(operation)}${exampleReply(operation)}</div>
<div class="text"><h3>Replies</h3>
${replies}</div>
</section>`;
}

function parametersIn(place: ParameterObject["in"], title: string, { parameters }: OperationObject): Html | false {
	const some = parameters.filter((parameter) => parameter.in === place);
	return some.length > 0 && html`<h3>${title}</h3>${parameterRows(some)}`;
}

function bodyFields({ requestBody }: OperationObject, { schemas }: Components): Html | false {
	if (!requestBody) return false;
	const name = nameIn(requestBody.content["application/json"].schema);
	return html`<h3>Body <a class="type" href="#${name}">${name}</a></h3>${fieldRows(schemas[name] ?? {}, schemas)}`;
}

function replyRow(status: string, { responses }: OperationObject, { headers }: Components): Html {
	const reply = responses[status];
	const media = reply?.content?.["application/json"];
	const body = media && nameIn(media.schema);
	const codes = Object.entries(media?.examples ?? {}).map(
		([code, { value }]) => html`<dt><code>${code}</code></dt><dd>${messageOf(value)}</dd>`,
	);
	const fields = Object.keys(reply?.headers ?? {}).map(
		(name) => html`<dt><code>${name}</code></dt><dd>${inline(sentence(headers[name]?.description ?? ""))}</dd>`,
	);
	return html`<details>
<summary><span class="status s${status.charAt(0)}">${status}</span> ${inline(reply?.description ?? "")}</summary>
${body && html`<p>Body: <a class="type" href="#${body}">${body}</a></p>`}
${codes.length > 0 && html`<dl>${codes}</dl>`}
<dl>${fields}</dl>
</details>`;
}

function messageOf(failure: unknown): string {
	return String(Reflect.get(Object(failure), "message"));
}

function samples({ operationId, summary, "x-codeSamples": all }: OperationObject): Html {
	const id = (index: number) => `${operationId}-sample-${index}`;
	const tabs = all.map(({ label }, index) => {
		const state = html`aria-selected="${String(index === 0)}" tabindex="${index === 0 ? 0 : -1}"`;
		const names = html`id="${id(index)}-tab" aria-controls="${id(index)}" data-label="${label}"`;
		return html`<button type="button" role="tab" ${names} ${state}>${label}</button>`;
	});
	const panels = all.map(({ lang, source }, index) => {
		const names = html`id="${id(index)}" aria-labelledby="${id(index)}-tab"`;
		return html`<div role="tabpanel" ${names}${index > 0 && html` hidden`}>${codeBlock(source, lang)}</div>`;
	});
	return html`<div class="card samples">
<div class="bar" role="tablist" aria-label="Samples: ${summary}">${tabs}</div>
${panels}
</div>`;
}

function exampleReply({ responses }: OperationObject): Html {
	const [[status = "", { content } = {}] = []] = Object.entries(responses);
	return html`<div class="card samples">
<div class="bar"><span class="status s${status.charAt(0)}">${status}</span> Example reply</div>
${codeBlock(openApiJson(content?.["application/json"].example), "json")}
</div>`;
}
