// The form that sends an operation from the page (send.js). The document's examples are filled in.

import {
	type OpenApiDocument,
	type OperationObject,
	openApiJson,
	type ParameterObject,
} from "../../openapi/document.ts";
import { highlight } from "./highlight.ts";
import { type Html, html } from "./html.ts";
import { nameIn } from "./values.ts";

export interface Described {
	method: string;
	path: string;
	operation: OperationObject;
}

type Schemas = OpenApiDocument["components"]["schemas"];

export function tryForm({ method, path, operation }: Described, schemas: Schemas): Html {
	const { operationId, summary, parameters, requestBody } = operation;
	const key = html`id="${operationId}-key" name="key" placeholder="pets_…"`;
	return html`<form class="card try" data-method="${method}" data-path="${path}" aria-label="Try it: ${summary}">
<div class="bar"><h3>Try it</h3><button class="primary" type="submit">Send</button></div>
<div class="fields">
<label for="${operationId}-key">API key</label>
<input ${key} type="password" autocomplete="off" spellcheck="false">
${parameters.map((parameter) => field(operationId, parameter, schemas))}
${requestBody && bodyField(operationId, requestBody.content["application/json"].example)}
</div>
${exampleReply(operation)}
</form>`;
}

function field(operationId: string, parameter: ParameterObject, schemas: Schemas): Html {
	const { name, in: place, schema } = parameter;
	const id = `${operationId}-${name}`;
	const choices = (schemas[nameIn(schema)] ?? schema).enum;
	const attributes = html`id="${id}" name="${name}" data-in="${place}"`;
	return html`<label for="${id}">${name}</label>
${choices ? choiceField(attributes, choices) : textField(attributes, parameter)}`;
}

function choiceField(attributes: Html, choices: string[]): Html {
	const options = choices.map((choice) => html`<option>${choice}</option>`);
	return html`<select ${attributes}><option value="">any</option>${options}</select>`;
}

function textField(attributes: Html, { example = "", examples = {}, required }: ParameterObject): Html {
	const [suggested] = Object.values(examples);
	const hint = suggested && html` placeholder="such as ${String(suggested.value)}"`;
	const rest = html`autocomplete="off" spellcheck="false"${required && html` required`}`;
	return html`<input ${attributes} value="${String(example)}"${hint} ${rest}>`;
}

function bodyField(operationId: string, example: unknown): Html {
	const id = `${operationId}-body`;
	return html`<label for="${id}">Body</label>
<textarea id="${id}" name="body" rows="5" spellcheck="false">${openApiJson(example)}</textarea>`;
}

/** The place for the reply. It shows an example until a reply arrives. */
function exampleReply({ responses }: OperationObject): Html {
	const [[status = "", { content } = {}] = []] = Object.entries(responses);
	const example = highlight(openApiJson(content?.["application/json"].example), "json");
	return html`<div class="reply">
<p class="outcome" role="status"><span class="status s${status.charAt(0)}">${status}</span> Example reply</p>
<pre tabindex="0"><code>${example}</code></pre>
<div class="links"></div>
<details hidden><summary>Headers</summary><pre tabindex="0"><code></code></pre></details>
</div>`;
}
