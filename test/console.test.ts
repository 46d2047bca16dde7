// The web console as users see it: the real service, its real files, and a real Chromium.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { startBrowser } from "./browser.ts";
import { button, namesOn, numbered, openConsole, opened, shows, signIn, takeOut } from "./console.ts";
import { testService } from "./service.ts";

let browser: Browser;
before(async () => {
	browser = await startBrowser();
});
after(() => browser.close());

test("a key opens the console, stays in memory only unless stored for the tab, and is deleted on sign-out", async (context) => {
	const { service, page } = await opened(context, browser, ["Rex"]);
	await shows(page, "1 animal on this page");
	const stored = () => page.evaluate<string>("JSON.stringify([localStorage, sessionStorage, location.href])");
	assert.ok(!(await stored()).includes(service.key));
	await page.reload();
	await page.getByLabel("Keep for this tab").check();
	await signIn(page, service.key);
	await page.reload();
	await shows(page, "1 animal on this page");
	assert.equal(await page.evaluate("localStorage.length"), 0);
	assert.ok(!page.url().includes(service.key));
	await button(page, "Sign out").click();
	await page.getByLabel("API key").waitFor();
	assert.ok(!(await stored()).includes(service.key));
	await page.reload();
	await page.getByLabel("API key").waitFor();
});

test("an invalid key is refused with the server's message, and a malformed one is not sent", async (context) => {
	const service = await testService(context);
	const { page, errors } = await openConsole(context, browser, service.url);
	await button(page, "Sign in").click();
	await shows(page, "Paste an API key first.");
	await page.getByLabel("API key").fill("pets_… and more");
	await page.keyboard.press("Enter");
	await shows(page, "Paste the whole key again");
	assert.deepEqual(errors, []);
	await page.getByLabel("API key").fill("pets_wrong");
	await page.keyboard.press("Enter");
	await shows(page, /This API key does not work: check that it is complete/);
	takeOut(errors, /401/);
});

test("the list is filtered and paged forward and back, and a copied link opens the same page", async (context) => {
	const names = numbered(65);
	const { service, page } = await opened(context, browser, names);
	await shows(page, "20 animals on this page · more follow");
	await page.getByLabel("Per page").selectOption("10");
	await page.getByLabel("Status").first().selectOption("sold");
	const sold = names.filter((_, index) => index % 3 === 2);
	await page.getByRole("rowheader", { name: sold[9] as string, exact: true }).waitFor();
	assert.deepEqual(await namesOn(page), sold.slice(0, 10));
	await button(page, "Next").click();
	await page.getByRole("rowheader", { name: sold[10] as string, exact: true }).waitFor();
	await button(page, "Next").click();
	await shows(page, "1 animal on this page · the last page");
	assert.deepEqual(await namesOn(page), sold.slice(20));
	await button(page, "Previous").click();
	await page.getByRole("rowheader", { name: sold[10] as string, exact: true }).waitFor();
	assert.deepEqual(await namesOn(page), sold.slice(10, 20));
	await button(page, "Copy link").click();
	await shows(page, "Link copied");
	const link = await page.evaluate<string>("navigator.clipboard.readText()");
	assert.ok(!link.includes(service.key));
	const other = await openConsole(context, browser, service.url, { hash: new URL(link).hash });
	await signIn(other.page, service.key);
	await other.page.getByRole("rowheader", { name: sold[10] as string, exact: true }).waitFor();
	assert.deepEqual(await namesOn(other.page), sold.slice(10, 20));
	await button(page, "Previous").click();
	await page.getByRole("rowheader", { name: sold[0] as string, exact: true }).waitFor();
	await page.goBack();
	await page.getByRole("rowheader", { name: sold[10] as string, exact: true }).waitFor();
	await page.getByLabel("Status").first().selectOption("");
	await shows(page, "Animal 10");
	assert.deepEqual(await namesOn(page), names.slice(0, 10), "another filter begins at the first page");
});

test("the newest animals are one click away, and the pages before them follow backwards to the first", async (context) => {
	const names = numbered(25);
	const { service, page, errors } = await opened(context, browser, names, "#/animals?limit=10");
	const goTo = async (label: string, expected: string[]) => {
		await button(page, label).click();
		await page.getByRole("rowheader", { name: expected.at(-1) as string, exact: true }).waitFor();
		assert.deepEqual(await namesOn(page), expected);
	};
	const isDisabled = (label: string) => button(page, label).getAttribute("aria-disabled");
	await shows(page, "10 animals on this page · more follow");
	assert.deepEqual([await isDisabled("First"), await isDisabled("Previous")], ["true", "true"]);
	await goTo("Newest", names.slice(15));
	await shows(page, "10 animals on this page · the last page");
	assert.deepEqual([await isDisabled("Next"), await isDisabled("Newest")], ["true", "true"]);
	await goTo("Previous", names.slice(5, 15));
	await goTo("Previous", names.slice(0, 5));
	await shows(page, "5 animals on this page · more follow");
	assert.equal(await isDisabled("Previous"), "true");
	await goTo("Next", names.slice(5, 15));
	await goTo("Newest", names.slice(15));
	await service.store.createPet({ name: "Newcomer", categoryId: 1n });
	await goTo("Refresh", [...names.slice(16), "Newcomer"]);
	await goTo("First", names.slice(0, 10));
	assert.deepEqual(errors, []);
});

test("without access to the clipboard, as over plain http, the link is shown for copying", async (context) => {
	const { page } = await opened(context, browser, [], "#/animals?status=sold&limit=50");
	await shows(page, "No animal has the status sold.");
	await page.evaluate(`Object.defineProperty(navigator, "clipboard", { value: undefined })`);
	await button(page, "Copy link").click();
	assert.equal(await page.getByLabel("Copy this link").inputValue(), page.url());
});

test("an animal is added with its exact category, and shown at once", async (context) => {
	const { service, page } = await opened(context, browser, []);
	await shows(page, "There are no animals yet.");
	await page.getByLabel("Name").fill("Rosa");
	await page.getByLabel("Category id").fill("9223372036854775807");
	await page.getByLabel("Status").last().selectOption("pending");
	await button(page, "Add").click();
	await shows(page, "1 animal on this page");
	assert.match((await page.locator("tbody tr").textContent()) ?? "", /^1Rosa9223372036854775807pending$/);
	assert.match(
		(await page.locator(".success").textContent()) ?? "",
		/^AddedId1NameRosaCategory9223372036854775807Statuspending$/,
	);
	const kept = await service.send({ path: "/v1/pets/1" });
	assert.equal(kept.body, '{"id":1,"name":"Rosa","categoryId":9223372036854775807,"status":"pending"}');
});

test("each invalid field has the server's message beside it and in a summary", async (context) => {
	const { page, errors } = await opened(context, browser, []);
	await page.getByLabel("Category id").fill("9223372036854775808");
	await page.keyboard.press("Enter");
	const nameRule = /must be a string of 1 to 255 Unicode code points/;
	const categoryRule = /must be an integer from -9223372036854775808 to 9223372036854775807/;
	await page.locator("#add-name-problem", { hasText: nameRule }).waitFor();
	await page.locator("#add-categoryId-problem", { hasText: categoryRule }).waitFor();
	const summary = page.getByRole("alert").filter({ hasText: "The animal was not added" });
	assert.match(
		(await summary.textContent()) ?? "",
		new RegExp(`${nameRule.source}[^]*${categoryRule.source}[^]*Request id\\s\\S+`),
	);
	assert.match(await page.evaluate("document.activeElement.textContent"), /^The animal was not added/);
	await summary.getByRole("button", { name: "Category id" }).click();
	assert.equal(await page.evaluate("document.activeElement.id"), "add-categoryId");
	takeOut(errors, /400/);
	await page.getByLabel("Category id").fill("seven");
	await page.keyboard.press("Enter");
	await page.locator("#add-categoryId-problem", { hasText: "must be a whole number" }).waitFor();
});

test("a name is shown as text in the list, the look-up and after adding, for any content and text direction", async (context) => {
	const names = ["<img src=x onerror=alert(1)>", "حصان صغير", "🐈‍⬛🐕", "&lt;b&gt; &amp;", "W".repeat(255)];
	const { page } = await opened(context, browser, names);
	await shows(page, "5 animals on this page");
	assert.deepEqual(await namesOn(page), names);
	const card = page.getByRole("region", { name: "Look up" });
	for (const id of [1, 4]) {
		await page.getByLabel("Id of an animal").fill(String(id));
		await page.keyboard.press("Enter");
		await card
			.locator("dd", { hasText: new RegExp(`^${id}$`) })
			.first()
			.waitFor();
		assert.equal(await card.locator("dd.name").textContent(), names[id - 1]);
	}
	await page.getByLabel("Name").fill("<b>Rosa</b>");
	await page.getByLabel("Category id").fill("1");
	await button(page, "Add").click();
	await page.locator(".success").waitFor();
	assert.equal(await page.locator(".success dd.name").textContent(), "<b>Rosa</b>");
	assert.equal(await page.locator("main img, main b").count(), 0);
	await page.setViewportSize({ width: 375, height: 700 });
	assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 375);
});

test("look-up by id: the / key focuses it, the animal or the server's message is shown, and the link shows the same", async (context) => {
	const { page, errors } = await opened(context, browser, ["Rex", "Luna"]);
	await shows(page, "2 animals on this page");
	await page.keyboard.press("/");
	await page.keyboard.type("2");
	await page.keyboard.press("Enter");
	const card = page.getByRole("region", { name: "Look up" });
	await card.getByText("Luna").waitFor();
	await card.getByText("will be removed on 5 December 2030").waitFor();
	assert.match(page.url(), /#\/animals\?limit=20&id=2$/);
	await page.getByLabel("Id of an animal").fill("3");
	await page.keyboard.press("Enter");
	await card.getByText("There is no animal with this id.").waitFor();
	takeOut(errors, /404/);
	await page.getByLabel("Id of an animal").fill("x");
	await page.keyboard.press("Enter");
	await card.getByText("An id is a whole number, such as 7.").waitFor();
	await page.goBack();
	await card.getByText("Luna").waitFor();
	assert.equal(await page.getByLabel("Id of an animal").inputValue(), "2");
});
