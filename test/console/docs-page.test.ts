// The API reference at /docs: its HTTP replies, and the page in a real browser.

import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import type { Locator, Page } from "playwright-core";
import { operationsOf } from "../../console/reference/operation.ts";
import { codeSamples } from "../../openapi/code-samples.ts";
import { openApiDocument } from "../../openapi/document.ts";
import { errorCodes, errors } from "../../src/contract/errors.ts";
import { openPage, type PageOptions, test } from "../support/browser.ts";
import { ask } from "../support/caller.ts";
import { create, type TestService, testService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { assertBothAccessible, signIn, signOut, takeOut } from "./console.ts";

const files = ["reference.css", "reference.js", "send.js", "mark.svg"];
const paths = ["/docs", ...files.map((name) => `/docs/${name}`)];

/** Whether a link leads to anything but the page, its files, the OpenAPI document or the console. */
const isElsewhere = (url: string) => !/^(docs(\/[\w.]+)?|openapi\.json|console)$/.test(url);

test("the page and its files are at most 40 KB with gzip", async (context) => {
	const { send } = await testService(context);
	const size = async (path: string) => gzipSync((await send({ path })).body, { level: 9 }).length;
	const sizes = await Promise.all(paths.map(size));
	const total = sizes.reduce((sum, bytes) => sum + bytes, 0);
	context.diagnostic(`${total} bytes: ${sizes.join(", ")}`);
	assert.ok(total > 10_000 && total <= 40 * 1024, `${total} bytes`);
});

test("everything on the page comes from the document, and is there without scripts", async (context) => {
	const { send } = await testService(context);
	const { body: page } = await send({ path: "/docs", headers: { Authorization: undefined } });
	const urls = [...page.matchAll(/(?:src|href)="(?!#)([^"#]+)/g)].map(([, url = ""]) => url);
	assert.deepEqual(urls.filter(isElsewhere), []);
	const text = textOf(page);
	for (const parameter of ["idint64required", "petIdint64required", "limitint32optional"])
		assert.ok(text.includes(parameter), parameter);
	const document = openApiDocument();
	for (const line of document.info.description.split("\n")) {
		if (!/^[|`]/.test(line)) assert.ok(text.includes(words(line)), line);
	}
	for (const code of errorCodes) assert.ok(text.includes(`${code}${errors[code].status}`), code);
	for (const { operation } of operationsOf(document)) {
		const { summary, description, parameters, responses, "x-codeSamples": samples } = operation;
		const parts = [summary, ...description.split("\n\n"), ...parameters.map(({ name }) => name)];
		const replies = Object.entries(responses).map(([status, reply]) => `${status} ${reply.description}`);
		for (const part of [...parts, ...replies]) assert.ok(text.includes(words(part)), part);
		for (const { source } of samples) assert.ok(text.includes(unspaced(source)), source);
	}
	for (const [name, schema] of Object.entries(document.components.schemas)) {
		for (const field of [name, ...Object.keys(schema.properties ?? {})]) assert.ok(text.includes(field), field);
	}
});

/** The visible text of a page, without blanks. */
function textOf(page: string): string {
	const apostrophes = { "&#39;": "'", "&#x27;": "'" };
	const entities: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', ...apostrophes };
	const plain = page.replaceAll(/<[^>]+>/g, " ").replaceAll(/&#?\w+;/g, (entity) => entities[entity] ?? entity);
	return unspaced(plain);
}

/** A text of the document in the form in which `textOf` returns it. */
const words = (text: string) => unspaced(text.replaceAll(/^(## |- )|\*\*|`/g, ""));
/** Removes blanks, because `textOf` turns HTML tags around a word into blanks. */
const unspaced = (text: string) => text.replaceAll(/\s+/g, "");

test("a deprecated operation is marked, and its replies link to the page", async (context) => {
	const { send } = await testService(context);
	const link = (await send({ path: "/v1/pets/1" })).headers["link"] ?? "";
	const [, target = ""] = /<([^>]+)>; rel="deprecation"/.exec(link) ?? [];
	const page = (await ask(target)).body;
	assert.match(page, /Get an animal <span class="pill pending">deprecated<\/span>/);
	assert.doesNotMatch(page, /List animals <span class="pill/);
	assert.match(textOf(page), new RegExp(unspaced("getPet will be removed on 5 December 2030")));
});

async function openDocs(
	context: Parameters<typeof openPage>[0],
	{ url }: TestService,
	options: PageOptions = {},
): Promise<Page> {
	const { page } = await openPage(context, url, { viewport: { width: 1440, height: 900 }, ...options });
	await page.goto(`${url}/docs`);
	await page.locator(".copy").first().waitFor();
	return page;
}

/** The form that sends the requests of an operation. */
const formOf = (page: Page, summary: string) => page.getByRole("form", { name: `Try it: ${summary}` });
const sendButton = (form: Locator) => form.getByRole("button", { name: "Send" });

/** The code and tabs that a Copy button covers. */
const covered = `[...document.querySelectorAll(".copy")].filter((copy) => copy.checkVisibility()).flatMap((copy) => {
	const [one, box] = [copy.getBoundingClientRect(), copy.closest(".samples") ?? copy.closest(".code")];
	const isUnder = (other) =>
		one.left < other.right && one.right > other.left && one.top < other.bottom && one.bottom > other.top;
	return [...box.querySelectorAll("pre, [role=tab]")]
		.filter((part) => part.checkVisibility() && isUnder(part.getBoundingClientRect()))
		.map((part) => part.textContent);
})`;

const wide = " in a wide font";
for (const [width, font] of [[1440], [768], [390, wide], [320, wide]] as const) {
	test(`axe finds nothing, nothing is cut off or covered, at ${width} pixels${font ?? ""}`, async (context) => {
		const service = await testService(context);
		const page = await openDocs(context, service, { viewport: { width, height: 900 }, isWide: font !== undefined });
		const form = formOf(page, "List animals");
		await form.getByLabel("API key").fill(service.key);
		await sendButton(form).click();
		await form.getByText(/OK in \d+ ms/).waitFor();
		await page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })");
		await assertBothAccessible(page, "the reference with a reply");
		assert.ok((await page.locator(".copy:visible").count()) > 9);
		assert.deepEqual(await page.evaluate(covered), [], "a Copy button covers nothing");
		if (width >= 860) return;
		await page.getByRole("button", { name: "Contents" }).click();
		await page.getByRole("navigation", { name: "Contents" }).waitFor();
		await assertBothAccessible(page, "the contents");
	});
}

test("samples in four languages name this server, are chosen for all operations, and copied", async (context) => {
	const service = await testService(context);
	const page = await openDocs(context, service, { permissions: ["clipboard-read", "clipboard-write"] });
	assert.equal(await page.title(), "Animal store API reference");
	await page.getByText(`ANIMAL_STORE_URL=${service.url}`).waitFor();
	const samples = page.getByRole("tablist", { name: "Samples: Add an animal" });
	const tabs = samples.getByRole("tab");
	assert.deepEqual(await tabs.allInnerTexts(), ["curl", "TypeScript", "Python", "Go"]);
	for (const text of ["curl ", "@animal-store/client", "import requests", "net/http"]) {
		await page.locator("#createPet").getByRole("tabpanel").getByText(text).first().waitFor();
		await page.locator("#listPets").getByRole("tabpanel").getByText(text).first().waitFor();
		assert.equal(await page.getByRole("tabpanel").count(), 3, "one sample of each operation is shown");
		await samples.locator('[aria-selected="true"]').press("ArrowRight");
	}
	assert.equal(await samples.locator('[aria-selected="true"]').textContent(), "curl", "the first follows the last");
	await page.locator("#getPet .samples").getByRole("button", { name: "Copy" }).first().click();
	await page.getByRole("button", { name: "Copied" }).waitFor();
	assert.equal(await page.evaluate("navigator.clipboard.readText()"), codeSamples.getPet[0]?.source);
});

test("each operation can be sent at once with the key, and integers stay exact", async (context) => {
	const service = await testService(context);
	await service.send(create('{"name":"Rex [{,:1","categoryId":9223372036854775807,"status":"available"}'));
	const page = await openDocs(context, service);
	const [list, add, get] = ["List animals", "Add an animal", "Get an animal"].map((name) => formOf(page, name));
	assert.ok(list && add && get);
	await sendButton(list).click();
	await list.getByText("Paste your API key first.").waitFor();
	assert.equal(await page.evaluate("document.activeElement.name"), "key");
	await page.keyboard.type(service.key);
	await page.keyboard.press("Enter");
	await list.getByText(/OK in \d+ ms/).waitFor();
	assert.equal(
		await shown(list),
		pretty('"id": 1', '"name": "Rex [{,:1"', '"categoryId": 9223372036854775807', '"status": "available"'),
	);

	await sendButton(get).click();
	await get.getByText(/OK in \d+ ms/).waitFor();
	await get.getByText("Headers", { exact: true }).click();
	await get.getByText("sunset: Thu, 05 Dec 2030 00:00:00 GMT").waitFor();

	await sendButton(add).click();
	await add.getByText(/Created in \d+ ms$/).waitFor();
	await sendButton(add).click();
	await add.getByText(/the first reply again/).waitFor();
	await add.getByLabel("Body").fill('{"name":"Max","categoryId":-9007199254740993}');
	await sendButton(add).click();
	await add.getByText(/Created in \d+ ms$/).waitFor();
	const { body } = await service.send({ path: "/v1/pets?limit=100" });
	assert.deepEqual(
		[...body.matchAll(/"categoryId":(-?\d+)/g)].map(([, id]) => id),
		["9223372036854775807", "1", "-9007199254740993"],
	);
	const kept = await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])");
	assert.ok(!String(kept).includes(service.key), "the key is not stored");
});

/** The reply that a form shows. */
const shown = (form: Locator) => form.locator(".reply > pre").textContent();
const pretty = (...fields: string[]) => `[\n  {\n${fields.map((field) => `    ${field}`).join(",\n")}\n  }\n]`;

test("filters and pages are sent, links are followed, and failures are shown as they are", async (context) => {
	const service = await testService(context);
	for (const name of ["Rex", "Max", "Mia"]) await service.send(create({ name, categoryId: 1, status: "sold" }));
	const { page, errors } = await openPage(context, service.url);
	await page.goto(`${service.url}/docs#listPets`);
	const form = formOf(page, "List animals");
	await form.getByLabel("API key").fill(service.key);
	await form.getByLabel("limit").fill("2");
	await form.getByLabel("status").selectOption("sold");
	await sendButton(form).click();
	await form.getByText('"Max"').waitFor();
	assert.deepEqual(await form.locator(".links button").allInnerTexts(), ["first", "next", "last"]);
	await form.getByRole("button", { name: "next" }).click();
	await form.getByText('"Mia"').waitFor();
	assert.equal(await form.getByText('"Max"').count(), 0);
	assert.deepEqual(errors, []);
	await form.getByLabel("limit").fill("0");
	await sendButton(form).click();
	await form.getByText('"invalid_parameter"').waitFor();
	await form.getByLabel("API key").fill("pets_wrong");
	await sendButton(form).click();
	await form.getByText('"invalid_credential"').waitFor();
	takeOut(errors, /40[01]/);
	await service.stop(0);
	await sendButton(form).click();
	await form.getByText("No reply: the service is not reachable.").waitFor();
	takeOut(errors, /ERR_CONNECTION_REFUSED/);
});

test("a key that the console keeps is filled in until any tab signs out; links lead there", async (context) => {
	const service = await testService(context);
	const { page } = await openPage(context, service.url);
	await page.goto(`${service.url}/console`);
	await signIn(page, service.key);
	const other = await page.context().newPage();
	await other.goto(`${service.url}/console`);
	await other.getByRole("button", { name: /^Account: / }).waitFor();
	await page.goto(`${service.url}/docs`);
	const form = formOf(page, "List animals");
	await sendButton(form).click();
	await form.getByText(/OK in \d+ ms/).waitFor();
	await signOut(other);
	await until("the key to be gone", async () => (await form.getByLabel("API key").inputValue()) === "");
	for (const [name, hash] of [
		["Animals", "#/animals"],
		["Activity", "#/activity"],
	] as const) {
		const link = page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name });
		assert.equal(await link.getAttribute("href"), `console${hash}`);
	}
});
