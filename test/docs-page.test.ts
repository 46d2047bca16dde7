// The API reference at /docs: its HTTP replies, and its use in a real browser.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Locator, Page } from "playwright-core";
import { openPage, screenshot, startBrowser } from "./browser.ts";
import { assertFailure, create, type TestService, testService } from "./service.ts";

const paths = ["/docs", "/docs/start.js", "/docs/scalar.js"];
const withoutKey = { Authorization: undefined };

let browser: Browser;
before(async () => {
	browser = await startBrowser();
});
after(() => browser.close());

test("the page and its files need no key, are compressed for clients that accept it, and get 304 if unchanged", async (context) => {
	const { send, url } = await testService(context);
	for (const path of paths) {
		const { status, headers, body } = await send({ path, headers: withoutKey });
		assert.equal(status, 200, path);
		assert.match(headers["content-type"] ?? "", path === "/docs" ? /^text\/html/ : /^text\/javascript/);
		assert.equal(headers["content-encoding"], undefined);
		assert.equal(headers["cache-control"], "no-cache");
		const compressed = await fetch(url + path);
		assert.equal(compressed.headers.get("content-encoding"), "gzip");
		assert.equal(await compressed.text(), body);
		const again = await send({ path, headers: { ...withoutKey, "If-None-Match": headers["etag"] } });
		assert.deepEqual([again.status, again.body], [304, ""]);
	}
});

test("other methods and paths near the page get the usual replies", async (context) => {
	const { send } = await testService(context);
	for (const path of paths) {
		const head = await send({ method: "HEAD", path });
		assert.deepEqual([head.status, head.body], [200, ""]);
		assert.equal((await send({ method: "OPTIONS", path })).headers["allow"], "GET, HEAD, OPTIONS");
		for (const method of ["POST", "PUT", "DELETE"]) {
			const refused = await send({ method, path });
			assertFailure(refused, "method_not_allowed");
			assert.equal(refused.headers["allow"], "GET, HEAD, OPTIONS");
		}
		assert.equal((await send({ path: `${path}?from=mail` })).status, 200);
	}
	for (const path of ["/docs/x", "/docs/scalar.js/", "/docs/../src/http/pages/docs-page.ts", "/Docs"])
		assertFailure(await send({ path }), "route_not_found");
	const { status, headers } = await send({ path: "/docs/" });
	assert.deepEqual(
		[status, new URL(headers["location"] ?? "", "http://host/prefix/docs/").pathname],
		[308, "/prefix/docs"],
	);
});

test("only scripts of this server run on the page, and no other page may frame it", async (context) => {
	const { send } = await testService(context);
	const { headers, body } = await send({ path: "/docs", headers: withoutKey });
	const policy = new Map(
		headers["content-security-policy"]?.split("; ").map((rule) => {
			const [name = "", ...sources] = rule.split(" ");
			return [name, sources.join(" ")];
		}),
	);
	assert.equal(policy.get("default-src"), "'none'");
	assert.equal(policy.get("script-src"), "'self'");
	assert.equal(policy.get("connect-src"), "'self'");
	assert.equal(policy.get("base-uri"), "'none'");
	assert.equal(policy.get("frame-ancestors"), "'none'");
	assert.doesNotMatch(body, /<script(?! src="docs\/)/);
	assert.doesNotMatch(body, /https?:/);
});

test("without scripts the page shows the deprecation of getPet", async (context) => {
	const { send } = await testService(context);
	const link = (await send({ path: "/v1/pets/1" })).headers["link"] ?? "";
	const [, target = ""] = /<([^>]+)>; rel="deprecation"/.exec(link) ?? [];
	const page = await (await fetch(target)).text();
	const [, said = ""] = /<noscript>([\s\S]*)<\/noscript>/.exec(page) ?? [];
	assert.match(said, /getPet \(GET \/pets\/\{petId\}\).*removed on 5 December 2030/);
	assert.match(said, /<a href="openapi.json">/);
});

async function openDocs(context: Parameters<typeof openPage>[0], { url }: TestService): Promise<Page> {
	const { page } = await openPage(context, browser, url, { viewport: { width: 1400, height: 1000 } });
	await page.goto(`${url}/docs`);
	await page.getByRole("heading", { name: "List animals" }).waitFor();
	return page;
}

/** Goes to an operation from the sidebar. @returns what the page says of it */
async function goTo(page: Page, summary: string): Promise<Locator> {
	await page.getByRole("link", { name: summary }).click();
	const section = page.getByRole("region", { name: summary });
	await section.getByRole("button", { name: "Test Request" }).waitFor();
	return section;
}

test("the page shows the operations, the deprecation, and samples for curl, TypeScript, Python and Go", async (context) => {
	const service = await testService(context);
	const page = await openDocs(context, service);
	assert.equal(await page.title(), "Animal store API reference");
	assert.match((await page.locator('meta[name="description"]').getAttribute("content")) ?? "", /store of animals/);
	await page.getByText(`${service.url}/v1`, { exact: true }).first().waitFor();
	await screenshot(page, "docs");
	await goTo(page, "Add an animal");
	const getPet = await goTo(page, "Get an animal");
	await getPet.getByText("deprecated", { exact: true }).waitFor();
	await getPet.getByText("removed on 5 December 2030").waitFor();
	await screenshot(page, "docs-deprecated");

	const listPets = await goTo(page, "List animals");
	await listPets.getByRole("button", { name: "Shell Curl" }).click();
	const options = page.getByRole("option");
	await options.first().waitFor();
	assert.deepEqual(await options.allInnerTexts(), ["TypeScript", "Python", "Go", "Curl"]);
	for (const [name, text] of [
		["TypeScript", '"@animal-store/client"'],
		["Python", "import requests"],
		["Go", '"net/http"'],
		["Curl", `curl '${service.url}/v1/pets?`],
	] as const) {
		await options.getByText(name, { exact: true }).click();
		await listPets.locator("pre").getByText(text).first().waitFor();
		await listPets.getByRole("button", { name: new RegExp(`${name}$`) }).click();
	}
});

test("the page can list animals and add one with the key, with exact integers", async (context) => {
	const service = await testService(context);
	await service.send(create('{"name":"Rex","categoryId":9223372036854775807,"status":"available"}'));
	const page = await openDocs(context, service);
	await page.getByPlaceholder("Token").first().fill(service.key);

	const dialog = page.getByRole("dialog");
	const send = () => dialog.getByRole("button", { name: "Send" }).first().click();
	await (await goTo(page, "List animals")).getByRole("button", { name: "Test Request" }).click();
	await send();
	await dialog.getByText("200 OK").waitFor();
	await dialog.getByText("9223372036854775807").first().waitFor();
	await screenshot(page, "docs-reply");
	await dialog.getByRole("button", { name: "Close Client" }).first().click();

	await (await goTo(page, "Add an animal")).getByRole("button", { name: "Test Request" }).click();
	await dialog.locator(".cm-content").filter({ hasText: "categoryId" }).click();
	await page.keyboard.press("ControlOrMeta+a");
	await page.keyboard.insertText('{"name":"Max","categoryId":-9007199254740993}');
	await send();
	await dialog.getByText("201 Created").waitFor();
	const { body } = await service.send({ path: "/v1/pets/2" });
	assert.equal(body, '{"id":2,"name":"Max","categoryId":-9007199254740993}');
	const kept = await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])");
	assert.ok(!String(kept).includes(service.key), "the key is gone with the page");
});
