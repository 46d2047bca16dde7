// The API reference at /docs: its HTTP replies, and the page in a real browser.

import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { operationsOf } from "../../console/reference/operation.ts";
import { codeSamples } from "../../openapi/code-samples.ts";
import { openApiDocument } from "../../openapi/document.ts";
import { errorCodes, errors } from "../../src/contract/errors.ts";
import { openPage, type PageOptions, test } from "../support/browser.ts";
import { ask } from "../support/caller.ts";
import { type TestService, testService } from "../support/service.ts";
import { assertAccessible, assertBothAccessible, assertFits, resize } from "./accessible.ts";

const files = ["reference.css", "reference.js", "mark.svg"];
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

test("the reply with the page links to the OpenAPI document as its description (RFC 8631)", async (context) => {
	const { send, url } = await testService(context);
	const { headers } = await send({ path: "/docs", headers: { Authorization: undefined } });
	const [, target = ""] = /^<([^>]+)>; rel="service-desc"; type="application\/json"$/.exec(headers["link"] ?? "") ?? [];
	assert.equal(new URL(target, `${url}/docs`).pathname, "/openapi.json");
	const file = async (coding: string) =>
		(await send({ path: "/docs/reference.css", headers: { "accept-encoding": coding } })).headers;
	const [plain, packed] = [await file("identity"), await file("gzip")];
	assert.equal(plain["link"], undefined);
	assert.equal(packed["etag"], plain["etag"]?.replace(/"$/, 'gz"'), "other bytes, another strong tag");
});

test("everything on the page comes from the document, and is there without scripts", async (context) => {
	const { send } = await testService(context);
	const { body: page } = await send({ path: "/docs", headers: { Authorization: undefined } });
	const urls = [...page.matchAll(/(?:src|href)="(?!#)([^"#]+)/g)].map(([, url = ""]) => url);
	assert.deepEqual(urls.filter(isElsewhere), []);
	for (const view of ["animals", "changes"]) assert.ok(page.includes(`href="console#/${view}"`), view);
	assert.doesNotMatch(page, /<(?:form|input|textarea)/, "no field asks for a key");
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

/** The code and tabs that a Copy button covers. */
const covered = `[...document.querySelectorAll(".copy")].filter((copy) => copy.checkVisibility()).flatMap((copy) => {
	const [one, box] = [copy.getBoundingClientRect(), copy.closest(".samples") ?? copy.closest(".code")];
	const isUnder = (other) =>
		one.left < other.right && one.right > other.left && one.top < other.bottom && one.bottom > other.top;
	return [...box.querySelectorAll("pre, [role=tab]")]
		.filter((part) => part.checkVisibility() && isUnder(part.getBoundingClientRect()))
		.map((part) => part.textContent);
})`;

for (const [width, font] of [[1440], [320, " in a wide font"]] as const) {
	test(`axe finds nothing, nothing is cut off or covered, at ${width} pixels${font ?? ""}`, async (context) => {
		const service = await testService(context);
		const page = await openDocs(context, service, { viewport: { width, height: 900 }, isWide: font !== undefined });
		const open = (isOpen: boolean) =>
			page.evaluate(`document.querySelectorAll("details").forEach((each) => { each.open = ${isOpen}; })`);
		await open(true);
		// The colors do not depend on the width.
		await (font ? assertAccessible : assertBothAccessible)(page, "the reference");
		for (const each of font ? [width] : [width, 768]) {
			await resize(page, each);
			await assertFits(page, `the reference at ${each}`);
			assert.ok((await page.locator(".copy:visible").count()) > 9);
			assert.deepEqual(await page.evaluate(covered), [], "a Copy button covers nothing");
		}
		await open(false);
		await page.getByRole("button", { name: "Contents" }).click();
		await page.getByRole("navigation", { name: "Contents" }).waitFor();
		await (font ? assertBothAccessible : assertFits)(page, "the contents");
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
