// The web console as users see it, with the real service, the real files of the console, and a real Chromium.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { curlForFirst } from "../../src/contract/curl.ts";
import { createKey } from "../../src/keys/issue.ts";
import type { NewEdit } from "../../src/store/store.ts";
import { test } from "../support/browser.ts";
import { create, testService } from "../support/service.ts";
import { assertAccessible, assertBothAccessible, assertFits, resize } from "./accessible.ts";
import { elsewhere, numbered, openAs, openConsole, opened, signedIn, signIn, takeOut } from "./console.ts";
import { button, namesOn, panel, row } from "./page.ts";
import { click, enter, fillIn, follow, hit, press, shows, visit } from "./steps.ts";

test("an invalid key is refused in words; the account menu shows what a valid one may do", async (context) => {
	const service = await testService(context);
	const { page, errors } = await openConsole(context, service.url);
	await click(page, "Sign in", "Paste an API key first.");
	await enter(page, "pets_… and more", "API key", "Paste the whole key again");
	assert.deepEqual(errors, []);
	await enter(page, "pets_wrong", "API key", "This key does not work. Check that it is complete");
	takeOut(errors, /401/);
	const { key } = await createKey(service.issuer, { name: "shop", scopes: ["pets:read"], expiresInMs: 86_400_000 });
	await signIn(page, key);
	const menu = page.getByRole("button", { name: "Account: shop" });
	await menu.click();
	await page.getByRole("dialog", { name: `shop …${key.slice(-4)}` }).waitFor();
	await shows(page, "This key may see animals.");
	await shows(page, /^Signed in for this tab\. The key expires on .*\d{4}/);
	await page.keyboard.press("Escape");
	await page.locator(".sheet").waitFor({ state: "detached" });
	assert.ok(await menu.evaluate((element) => element === element.ownerDocument.activeElement));
});

test("a key that may not write sees why, and no way to add", async (context) => {
	const { service, page, errors } = await openAs(context, ["pets:read"], { names: ["Rex"] });
	await shows(page, "Read-only key");
	assert.equal(await page.getByRole("button", { name: "Add animal" }).count(), 0);
	assert.equal(await page.getByRole("link", { name: "Add many" }).count(), 0);
	await button(page, "All 1").waitFor();
	await page.keyboard.press("n");
	assert.equal(await page.locator(".panel").count(), 0);
	await row(page, "Rex").click();
	await page.getByText("For developers").click();
	const writing = /add|remove|rename|status|select|undo/i;
	for (const name of await page.locator(".panel").getByRole("button").allInnerTexts())
		assert.doesNotMatch(name, writing);
	await page.keyboard.press("Escape");
	assert.doesNotMatch((await page.locator(".key-list").textContent()) ?? "", writing);
	await hit(page, "?", page.getByRole("combobox", { name: "Command, name or id" }));
	const all = await page.getByRole("option").allInnerTexts();
	const commands = all.filter((text) => !text.startsWith("Show "));
	assert.ok(commands.length > 5 && commands.every((text) => !writing.test(text)), String(commands));
	await page.keyboard.press("Escape");
	await page.goto(`${service.url}/console#/add-many`);
	await shows(page, "This key may not add animals");
	assert.deepEqual(errors, []);
});

test("a key that may not read gets a message, and may add", async (context) => {
	const { page } = await openAs(context, ["pets:write"]);
	await shows(page, "This key may not list animals");
	await button(page, "Add animal").click();
	await fillIn(page, "Rosa", "1");
	await hit(page, "Enter", /Added Rosa with the id 1/);
	await visit(page, "#/changes", "This key may not see changes");
});

/** The page reads the figures every 5 s of the clock. */
const openedWithClock = (context: TestContext, names: string[]) =>
	opened(context, names, "#/animals?limit=10", { before: (page) => page.clock.install() });

test("the totals are those of the store, by status, and a filter shows what it counts", async (context) => {
	const names = numbered(65);
	const { service, page } = await openedWithClock(context, names);
	await page.getByRole("button", { name: "All 65" }).waitFor();
	await elsewhere(page, () => service.send(create('{"name":"no status","categoryId":1}')));
	await page.clock.fastForward(5_000);
	await shows(page, "66 animals in all, 1 without a status");
	await page.getByRole("button", { name: "Sold 21" }).click();
	const sold = names.filter((_, index) => index % 3 === 2);
	await row(page, sold[9] as string).waitFor();
	assert.deepEqual(await namesOn(page), sold.slice(0, 10));
	await page.getByLabel(`Select ${sold[5]}`).check();
	await click(page, "Next", row(page, sold[10] as string));
	await page.getByLabel(`Select ${sold[12]}`).click({ modifiers: ["Shift"] });
	await shows(page, "1 selected");
	await page.keyboard.press("Escape");
	assert.match(new URL(page.url()).hash, /cursor/);
	const ofCategory = await page.locator(".categories a").first().getAttribute("href");
	assert.doesNotMatch(ofCategory ?? "cursor", /cursor/, "another list begins at its start");
	await click(page, "Next", "1 animal, id 63 · the newest");
	await click(page, "Previous", row(page, sold[10] as string));
	assert.deepEqual(await namesOn(page), sold.slice(10, 20));
	const other = await signedIn(context, service, { hash: new URL(page.url()).hash });
	await row(other.page, sold[10] as string).waitFor();
	assert.deepEqual(await namesOn(other.page), sold.slice(10, 20), "the URL opens the same page");
	for (let back = 0; back < 3; back++) await page.goBack();
	await row(page, sold[0] as string).waitFor();
	await page.goBack();
	await row(page, "Animal 1").waitFor();
	assert.deepEqual(await namesOn(page), names.slice(0, 10), "Back removes the filter");
});

test("the newest animals are a click away, pages lead back to the first, and edits are shown", async (context) => {
	const names = numbered(25);
	const { service, page, errors } = await openedWithClock(context, names);
	const goTo = async (label: string, expected: string[]) => {
		await click(page, label, row(page, expected.at(-1) as string));
		assert.deepEqual(await namesOn(page), expected);
	};
	const isDisabled = (label: string) => button(page, label).getAttribute("aria-disabled");
	await shows(page, "10 animals, ids 1 to 10 · more follow");
	await page.getByLabel("Per page").selectOption("20");
	await shows(page, "20 animals, ids 1 to 20 · more follow");
	await page.getByLabel("Per page").selectOption("10");
	await shows(page, "10 animals, ids 1 to 10 · more follow");
	assert.deepEqual([await isDisabled("First"), await isDisabled("Previous")], ["true", "true"]);
	await goTo("Newest", names.slice(15));
	await shows(page, "10 animals, ids 16 to 25 · the newest");
	assert.deepEqual([await isDisabled("Next"), await isDisabled("Newest")], ["true", "true"]);
	await goTo("Previous", names.slice(5, 15));
	await goTo("Previous", names.slice(0, 5));
	assert.equal(await isDisabled("Previous"), "true");
	await goTo("Next", names.slice(5, 15));
	await goTo("Newest", names.slice(15));
	await elsewhere(page, () => service.store.createPet({ name: "Newcomer", categoryId: 1n }));
	await page.clock.fastForward(5_000);
	await row(page, "Newcomer").waitFor();
	assert.deepEqual(await namesOn(page), [...names.slice(16), "Newcomer"], "the newest page follows by itself");
	await goTo("First", names.slice(0, 10));
	const edit = async (change: NewEdit) => {
		await elsewhere(page, () => service.store.edits.apply(change));
		await page.clock.fastForward(5_000);
	};
	await edit({ petId: 3n, editor: "operator", action: "rename", name: "Renamed" });
	await row(page, "Renamed").waitFor();
	await edit({ petId: 2n, editor: "operator", action: "remove" });
	await row(page, names[10] as string).waitFor();
	assert.deepEqual(await namesOn(page), [names[0], "Renamed", ...names.slice(3, 11)], "a full page follows edits");
	assert.deepEqual(errors, []);
});

test("an animal opens next to the list without a request, and is copied as JSON, curl and link", async (context) => {
	const { service, page } = await opened(context, numbered(12), "#/animals?limit=10&status=sold");
	const pet = { name: "It's", categoryId: 9007199254740993n, status: "sold" } as const;
	await elsewhere(page, () => service.store.createPet(pet));
	await click(page, "Refresh", row(page, "It's"));
	const asked: string[] = [];
	page.on("request", (request) => asked.push(request.url()));
	await row(page, "It's").click();
	const its = panel(page, "It's");
	await its.getByText("For developers").click();
	await its.getByText('"categoryId": 9007199254740993').waitFor();
	// The list itself may send requests to learn whether it has changed.
	assert.ok(!asked.some((url) => url.includes("/v1/pets/")), String(asked));
	const copied = async (label: string) => {
		await its.getByRole("button", { name: label, exact: true }).click();
		await its.getByRole("button", { name: "Copied" }).first().waitFor();
		return page.evaluate<string>("navigator.clipboard.readText()");
	};
	const json = '{\n  "id": 13,\n  "name": "It\'s",\n  "categoryId": 9007199254740993,\n  "status": "sold"\n}';
	assert.equal(await copied("Copy JSON"), json);
	assert.match(
		await copied("Copy curl: add"),
		/-d '\{"name":"It'\\''s","categoryId":9007199254740993,"status":"sold"\}'$/,
	);
	assert.ok((await copied("Copy curl: list")).startsWith(`curl "${service.url}/v1/pets?limit=10&status=sold" `));
	const link = await copied("Copy link");
	assert.ok(!link.includes(service.key));
	const other = await signedIn(context, service, { hash: new URL(link).hash });
	await panel(other.page, "It's").waitFor();
	await page.keyboard.press("Escape");
	await its.waitFor({ state: "detached" });
});

test("a link looks an animal up by id; without a clipboard, as over http, text is shown to copy", async (context) => {
	const { page, errors } = await opened(context, numbered(12), "#/animals?limit=10&id=12");
	await page.locator(".panel dd", { hasText: /^12$/ }).waitFor();
	await shows(page, /will be removed on 5 December 2030/);
	await visit(page, "#/animals?sort=id&id=99", "There is no animal 99");
	takeOut(errors, /404/);
	await page.evaluate("location.hash = '#/animals?sort=id&id=1'");
	await page.getByText("For developers").click();
	await page.evaluate(`Object.defineProperty(navigator, "clipboard", { value: undefined })`);
	await button(page, "Copy link").click();
	assert.equal(await page.getByLabel("Copy this").inputValue(), page.url());
});

test("an invalid field has a sentence beside it; animals are added one by one, and input is kept", async (context) => {
	const { service, page, errors } = await opened(context, []);
	await click(page, "Add the first animal", page.locator("#add-name:focus"));
	await enter(page, "9223372036854775808", "Category");
	const problemOf = (field: string, text: RegExp) => page.locator(`#add-${field}-problem`, { hasText: text });
	const focusedId = () => page.evaluate("document.activeElement.id");
	await problemOf("name", /^Enter a name$/).waitFor();
	await problemOf("categoryId", /^This number is too large for a category$/).waitFor();
	assert.equal(await focusedId(), "add-name");
	await enter(page, "Rex");
	await problemOf("name", /^$/).waitFor({ state: "attached" });
	assert.equal(await focusedId(), "add-categoryId", "one fault is left");
	assert.deepEqual(errors, []);
	await fillIn(page, "Rosa", "9223372036854775807");
	await page.getByLabel("Status", { exact: true }).selectOption("pending");
	await page.evaluate(`for (const _ of "12") document.querySelector(".panel [type=submit]").click()`);
	await shows(page, /Added Rosa with the id 1/);
	await row(page, "Rosa").waitFor();
	assert.match((await page.locator("tbody tr").textContent()) ?? "", /^1Rosapending9223372036854775807$/);
	assert.equal(await focusedId(), "add-name");
	const kept = await service.send({ path: "/v1/pets/1" });
	assert.equal(kept.body, '{"id":1,"name":"Rosa","categoryId":9223372036854775807,"status":"pending"}');
	await page.keyboard.type("Mia");
	await enter(page, " 007", "Category", /Added Mia with the id 2/);
	const withZeros = await service.send({ path: "/v1/pets/2" });
	assert.equal(withZeros.body, '{"id":2,"name":"Mia","categoryId":7}', "zeros in front change no number");
	await page.keyboard.type("Half a na");
	await page.keyboard.press("Escape");
	await page.locator(".panel").waitFor({ state: "detached" });
	await page.keyboard.press("n");
	assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Half a na");
});

test("an empty store shows the command of banner, README and reference, which adds an animal", async (context) => {
	const { service, page } = await opened(context, []);
	await click(page, "Copy curl", button(page, "Copied"));
	const command = await page.evaluate<string>("navigator.clipboard.readText()");
	assert.equal(command.replaceAll(" \\\n  ", " "), curlForFirst(`${service.url}/v1/pets`).join(" "));
	const { description } = JSON.parse(readFileSync("openapi.json", "utf8")).info;
	assert.ok(description.includes(`\n${curlForFirst("$ANIMAL_STORE_URL/v1/pets").join(" ")}\n`));
	const inReadme = curlForFirst("http://127.0.0.1:8080/v1/pets").join(" ");
	assert.ok(readFileSync("README.md", "utf8").includes(`\n${inReadme}\n`));
	const env = { ...process.env, ANIMAL_STORE_KEY: service.key };
	const { stdout } = await promisify(execFile)("sh", ["-c", command], { env });
	assert.equal(stdout, '{"id":1,"name":"Rex","categoryId":1}');
});

test("a name is shown as text everywhere, for any content and text direction", async (context) => {
	const names = ["<img src=x onerror=alert(1)>", "حصان صغير", "🐈‍⬛🐕", "&lt;b&gt; &amp;", "W".repeat(255)];
	const { page } = await opened(context, names);
	assert.deepEqual(await namesOn(page), names);
	for (const [index, name] of names.entries()) {
		await page.evaluate(`location.hash = "#/animals?sort=id&id=${index + 1}"`);
		const id = new RegExp(`^${index + 1}$`);
		await page.locator(".panel dd", { hasText: id }).first().waitFor();
		assert.equal(await page.locator(".panel h2").textContent(), name);
	}
	await button(page, "Add animal").click();
	await fillIn(page, "<b>Rosa</b>", "1");
	await click(page, "Add", /Added <b>Rosa<\/b> with the id 6/);
	assert.equal(await page.locator("main img, main td b, .panel b").count(), 0);
	await page.keyboard.press("Escape");
	await resize(page, 375, 700);
	assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 375);
});

/** Waits for the next reply with the view's figures. */
const nextReading = (page: Page) =>
	page.waitForResponse((reply) => new URL(reply.url()).pathname === "/console/activity");

test("one chart shows replies and their p95 per minute, and the same as text", async (context) => {
	const past = Array.from({ length: 59 }, (_, index) => ({ replies: 40 * index || 1, p95Ms: 1 + (index % 7) }));
	const before = (page: Page) =>
		page.route("**/console/activity", async (route) => {
			const reply = await route.fetch();
			const figures = await reply.json();
			await route.fulfill({ json: { ...figures, minutes: [...past, { replies: 0 }] } });
		});
	const { page } = await opened(context, [], "#/server", { before });
	const chart = page.getByRole("region", { name: "Replies per minute" });
	await chart.getByText("This minute: 0 replies", { exact: true }).waitFor();
	await chart.getByRole("img", { name: "Replies per minute: at most 2,320" }).waitFor();
	assert.equal(await chart.locator(".ends").textContent(), "59 min agonow");
	const p95 = chart.getByRole("img", { name: "p95 per minute: at most 7 ms" });
	const { width: chartWidth = 0 } = (await p95.boundingBox()) ?? {};
	const told = ["1 reply, 95 % within 1 ms", "1,160 replies, 95 % within 2 ms", "2,320 replies, 95 % within 3 ms"];
	for (const [at, text] of told.entries()) {
		await p95.hover({ position: { x: ((29 * at + 0.5) / 60) * chartWidth, y: 50 } });
		await chart.getByText(`${59 - 29 * at} min ago: ${text}`, { exact: true }).waitFor();
	}
	await page.mouse.move(0, 0);
	await chart.getByRole("region", { name: "Minutes" }).focus();
	await press(page, "ArrowLeft", "ArrowLeft", "ArrowRight", "ArrowLeft");
	await chart.getByText("2 min ago: 2,280 replies, 95 % within 2 ms", { exact: true }).waitFor();
	await chart.getByText("The last minutes as a table").focus();
	await chart.getByText("This minute: 0 replies", { exact: true }).waitFor();
	assert.equal((await chart.locator("path").first().getAttribute("d"))?.split("M").length, 61);
	assert.equal((await chart.locator("path").last().getAttribute("d"))?.split("M").length, 60, "a gap without replies");
	await chart.getByText("The last minutes as a table").click();
	const lines = await chart.locator("tbody tr").allTextContents();
	assert.deepEqual([lines.length, ...lines.slice(0, 2)], [15, "This minute0–", "1 min ago2,3203 ms"]);
	const checks = { 1280: assertBothAccessible, 768: assertFits, 375: assertAccessible };
	for (const [width, check] of Object.entries(checks)) {
		await resize(page, Number(width));
		await check(page, `server, ${width} wide`);
	}
	await page.close();
});

test("totals match the store, and the console asks for figures only while it is visible", async (context) => {
	const service = await testService(context, { mixes: false });
	for (const status of ["sold", "sold", "pending", undefined])
		await service.send(create({ name: "Rex", categoryId: 1, status }));
	const { page } = await openConsole(context, service.url, { hash: "#/server" });
	await page.clock.install();
	const asked: string[] = [];
	page.on("request", (request) => !request.url().includes("/assets/") && asked.push(request.url()));
	const names = page.waitForResponse("**/console/categories");
	await signIn(page, service.key);
	await (await names).finished();
	await page.getByText(/^This minute: 4 replies/).waitFor();
	assert.equal(await page.locator(".server .ends").textContent(), "29 min agonow", "the chart is empty on the left");
	const askedInAMinute = async () => {
		asked.length = 0;
		await page.clock.runFor(60_000);
		return asked;
	};
	await setVisibility(page, "hidden");
	assert.deepEqual(await askedInAMinute(), []);
	const next = nextReading(page);
	await setVisibility(page, "visible");
	await next;
	const nextAgain = nextReading(page);
	await page.clock.runFor(5_000);
	await nextAgain;
	await follow(page, "Animals", page.getByRole("button", { name: "Sold 2" }));
	await page.close();
});

function setVisibility(page: Page, state: "hidden" | "visible"): Promise<unknown> {
	return page.evaluate(`Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true });
		document.dispatchEvent(new Event("visibilitychange"))`);
}

test("a key without the scope gets its name, the command for one with it, and no such figures", async (context) => {
	const { service, page, errors, issued } = await openAs(context, ["pets:read"], { hash: "#/server" });
	const note = page.getByRole("alert").filter({ hasText: "This key may not see the figures of the server" });
	await note.getByText("animal-store keys create --name console --scopes metrics:read,pets:read").waitFor();
	assert.match((await note.textContent()) ?? "", /lacks the scope metrics:read/);
	assert.equal(await page.locator(".server").count(), 0);
	const headers = { Authorization: `Bearer ${issued.key}` };
	const { body } = await service.send({ path: "/console/activity", headers });
	assert.deepEqual(Object.keys(JSON.parse(body)), ["animals", "edits"]);
	await assertAccessible(page, "no scope");
	assert.deepEqual(errors, []);
	const { key } = await createKey(service.issuer, { name: "metrics", scopes: ["metrics:read"] });
	const other = await signedIn(context, { ...service, key }, { hash: "#/server" });
	await shows(other.page, /lacks the scope pets:read/);
});
