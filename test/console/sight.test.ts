// Nothing is lost from sight: what became of an edit, whoever removed an animal, where the focus and the page are.

import assert from "node:assert/strict";
import type { Route } from "playwright-core";
import { createKey } from "../../src/keys/issue.ts";
import { hold, settled, test } from "../support/browser.ts";
import { readPet } from "../support/store-reads.ts";
import { until } from "../support/until.ts";
import { assertAccessible, assertBothAccessible, resize } from "./accessible.ts";
import { addFile, choose, goOn, saved } from "./add-many.ts";
import { elsewhere, names, numbered, opened, petsOf, signedIn, signIn, signOut, takeOut } from "./console.ts";
import { button, focused, inTable, mayLeave, message, namesOn, panel, row, toast } from "./page.ts";
import { click, fillIn, follow, hit, press, reload, sell, shows, visit } from "./steps.ts";

test("an edit outlives its view with message and undo; a problem stays until it is closed", async (context) => {
	const { service, page } = await opened(context, names);
	const first = service.store.edits;
	const release = await hold(page, "**/console/edits");
	await sell(page, "Rex: available");
	assert.deepEqual(await page.locator("button.waiting").allTextContents(), ["sold"]);
	assert.equal(await mayLeave(page), false, "the browser asks before a reload");
	await follow(page, "Changes", page.getByRole("heading", { name: "Changes" }));
	release();
	await message(page, "Rex is sold").waitFor();
	assert.equal(await mayLeave(page), true);
	await hit(page, "Control+z", message(page, "Rex is available"));
	assert.equal((await readPet(service.store, 1n))?.status, "available");
	await click(page, "Redo", message(page, "Rex is sold"));
	await button(page, "Undo Ctrl Z").waitFor();
	await follow(page, "Animals", inTable(page, "Rex: sold"));
	await settled(page);
	await hold(page, "**/console/activity");
	await elsewhere(page, () => first.apply({ petId: 2n, editor: "Jonas", action: "rename", name: "Lulu" }));
	await sell(page, "Luna: pending");
	const told = "Jonas was first and has renamed Luna to Lulu. Your change was not made.";
	await message(page, told).waitFor();
	await sell(page, "Kiwi: available", "Kiwi is sold");
	await button(page, "Undo Ctrl Z").focus(); // It stays, however long the checks take.
	assert.deepEqual(await toast(page).allTextContents(), [told, "Kiwi is sold"]);
	await assertBothAccessible(page, "two messages");
	for (const width of [1440, 768, 320]) {
		await resize(page, width);
		for (const line of await page.locator(".toast, .toast button").all()) {
			const { x = -1, width: long = 0 } = (await line.boundingBox()) ?? {};
			const list = (await page.locator(".messages").boundingBox()) ?? { x: 0, width: 0 };
			const [left, right] = [Math.max(0, list.x), Math.min(width, list.x + list.width)];
			assert.ok(x >= left && x + long <= right, `cut off at ${width} pixels`);
		}
	}
	await assertAccessible(page, "two messages, narrow");
	await resize(page, 1440);
	await page.getByRole("link", { name: "Changes" }).click();
	await click(page, "Show Lulu", panel(page, "Lulu"));
	await page.locator(".toast", { hasText: told }).getByRole("button", { name: "Close" }).click();
	await message(page, told).waitFor({ state: "detached" });
	assert.equal(await focused(page), "Animals", "the heading, since the button has gone");
});

test("Esc leaves one thing at a time, and the focus is in the list", async (context) => {
	const { service, page } = await opened(context, names);
	await service.store.categories.apply([{ id: 1n, name: "Guinea pig" }]);
	await reload(page, row(page, "Rex"));
	await press(page, "n");
	const category = page.getByLabel("Category", { exact: true });
	await category.fill("gui");
	await page.getByRole("option", { name: "Guinea pig 1" }).waitFor();
	await press(page, "Escape");
	await page.getByRole("option", { name: "Guinea pig 1" }).waitFor({ state: "hidden" });
	assert.equal(await category.inputValue(), "gui");
	await press(page, "Escape");
	await category.waitFor({ state: "detached" });
	await page.getByLabel("Select Bella").check();
	await button(page, "Set status s").focus();
	await press(page, "Escape");
	await page.getByRole("toolbar").waitFor({ state: "detached" });
	assert.equal(await focused(page), "Bella");
	await page.getByRole("heading", { name: "Animals" }).focus();
	await press(page, "/");
	await page.keyboard.type("zoë");
	await shows(page, "1 animal with “zoë” in the name");
	await hit(page, "Escape", row(page, "Rex"));
	await until("the focus in the list", async () => (await focused(page)) === "Rex");
	await press(page, "/", "Escape");
	assert.equal(await focused(page), "Rex");
});

test("on a phone Next begins at the top, and Back closes the form and nothing else", async (context) => {
	const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
	const { service, page } = await opened(context, numbered(70), "", { page: phone });
	await button(page, "Next").tap();
	await row(page, "Animal 31").waitFor();
	await until("the top of the page", () => page.evaluate<boolean>("scrollY === 0"));
	await elsewhere(page, () => service.store.edits.apply({ petId: 31n, editor: "Ann", action: "rename", name: "Ada" }));
	await sell(page, "Animal 31: available");
	const show = button(page, "Show Ada");
	await show.waitFor();
	await button(page, "Add animal").tap();
	await show.tap();
	await panel(page, "Ada").waitFor();
	await settled(page);
	await page.locator(".toast").getByRole("button", { name: "Close" }).tap();
	await panel(page, "Ada").getByRole("button", { name: "close" }).tap();
	await button(page, "Add animal").tap();
	await page.getByLabel("Name", { exact: true }).fill("Rosa");
	await page.goBack();
	await page.getByLabel("Name", { exact: true }).waitFor({ state: "detached" });
	assert.equal((await namesOn(page))[0], "Ada");
	await button(page, "Add animal").tap();
	assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Rosa", "what was entered is kept");
	await page.getByRole("button", { name: "close" }).tap();
	await page.getByLabel("Name", { exact: true }).waitFor({ state: "detached" });
	for (let back = 0; back < 3 && (await row(page, "Animal 1").count()) === 0; back++) {
		await page.goBack();
		await settled(page);
	}
	await row(page, "Animal 1").waitFor();
});

test("a reload keeps the place in a search; a low window begins at its top", async (context) => {
	const { service, page } = await opened(context, numbered(120));
	await page.getByLabel("Find by name").fill("animal");
	await shows(page, "1 to 30 of 120 animals");
	await click(page, "Next", "31 to 60 of 120 animals");
	await reload(page, "31 to 60 of 120 animals");
	await click(page, "Previous", "1 to 30 of 120 animals");
	await page.getByLabel("Find by name").fill("W".repeat(255));
	await shows(page, `“${"W".repeat(31)}…” in the name`);
	const low = await signedIn(context, service, { page: { viewport: { width: 640, height: 400 } } });
	await row(low.page, "Animal 1").waitFor();
	await settled(low.page);
	assert.equal(await low.page.evaluate("scrollY"), 0);
});

test("in forced colors, what is pressed, current, open or disabled looks different", async (context) => {
	const { page } = await opened(context, names);
	await row(page, "Rex").click();
	await page.emulateMedia({ forcedColors: "active" });
	const outline = (selector: string) =>
		page.evaluate<string>(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).outlineStyle`);
	await page.mouse.move(0, 0);
	for (const selector of ["[aria-pressed=true]", "nav [aria-current=page]", "tr.on"])
		assert.equal(await outline(selector), "solid", selector);
	for (const selector of ["[aria-pressed=false]", "nav a:not([aria-current])", "tr:not(.on)"])
		assert.equal(await outline(selector), "none", selector);
	const [ready, disabled] = await page.evaluate<string[]>(`["Refresh", "Next"].map((text) =>
		getComputedStyle([...document.querySelectorAll(".paging button")].find((one) => one.textContent === text)).color)`);
	assert.notEqual(ready, disabled);
	await assertAccessible(page, "forced colors");
});

test("an import whose service does not answer says so instead of a time", async (context) => {
	const { page } = await opened(context, []);
	await page.clock.install();
	const release = await hold(page, "**/console/imports", { isStored: true });
	await addFile(page, "rows.csv", `name,categoryId\n${"Rex,1\n".repeat(5)}`, "5 animals", "Adding …");
	await page.clock.fastForward(4_000);
	await shows(page, "The server does not answer. Still trying …");
	release();
	await shows(page, "5 of 5 animals added");
});

test("the newest animals come first and appear by themselves; another order is remembered", async (context) => {
	const { service, page } = await opened(context, numbered(40), "#/animals?sort=id");
	await visit(page, "#/animals", row(page, "Animal 40"));
	assert.deepEqual(await namesOn(page), numbered(40).toReversed().slice(0, 30));
	await shows(page, "1 to 30 of 40 animals");
	await elsewhere(page, () => service.store.createPet({ name: "Newcomer", categoryId: 1n }));
	await row(page, "Newcomer").waitFor();
	assert.equal((await namesOn(page))[0], "Newcomer");
	await press(page, "n");
	await fillIn(page, "Rosa", "4");
	await hit(page, "Enter", page.locator("tr.newest", { hasText: "Rosa" }));
	assert.equal((await namesOn(page))[0], "Rosa");
	await fillIn(page, "rosa ", "4");
	await hit(page, "Enter", "Another animal has this name: show");
	await click(page, page.getByRole("columnheader", { name: "Id" }).getByRole("button"), row(page, "Animal 1"));
	await page.getByLabel("Per page").selectOption("10");
	await shows(page, "10 animals, ids 1 to 10 · more follow");
	await page.goto(`${service.url}/docs`);
	await page.goto(`${service.url}/console`);
	await shows(page, "10 animals, ids 1 to 10 · more follow");
	await page.goto(`${service.url}/docs`);
	await page.goto(`${service.url}/console#/animals`);
	await shows(page, "1 to 30 of 43 animals");
	await page.goto(`${service.url}/docs`);
	await page.goto(`${service.url}/console`);
	await shows(page, "10 animals, ids 1 to 10 · more follow");
});

test("a category named in another window arrives in half a minute; no file is checked again", async (context) => {
	const { service, page } = await opened(context, names, "", { before: (page) => page.clock.install() });
	await elsewhere(page, () => service.store.categories.apply([{ id: 1n, name: "Guinea pig" }]));
	await page.clock.fastForward(30_000);
	await page.locator("tbody td.category", { hasText: "Guinea pig" }).first().waitFor();
	await choose(page, "animals.csv", "name,category\nMia,Guinea pig\nTom,Guinea pig\n");
	await goOn(page, "Check");
	await settled(page);
	await page.evaluate(`globalThis.checks = 0;
		new MutationObserver((seen) => globalThis.checks += seen.length).observe(document.querySelector(".go .primary"), { attributes: true })`);
	const reply = page.waitForResponse("**/console/categories");
	await page.clock.fastForward(30_000);
	await (await reply).finished();
	await settled(page);
	assert.equal(await page.evaluate("globalThis.checks"), 0, "and a file is not checked again");
});

test("edits that wait when a person signs out are not sent with the next key", async (context) => {
	const { service, page } = await opened(context, names);
	const next = await createKey(service.issuer, { name: "next person", scopes: ["pets:read", "pets:edit"] });
	const release = await hold(page, "**/console/edits");
	const sent: string[] = [];
	page.on("request", (request) => request.url().endsWith("/console/edits") && sent.push(request.postData() ?? ""));
	await sell(page, "Rex: available");
	await sell(page, "Kiwi: available");
	await signOut(page, "Sign out and lose changes that are not stored?");
	await signIn(page, next.key);
	await row(page, "Rex").waitFor();
	release();
	await until("the edit under way", async () => (await readPet(service.store, 1n))?.status === "sold");
	await settled(page);
	await sell(page, "Otto: available", "Otto is sold");
	assert.equal(sent.length, 2, "not the edit of Kiwi");
	const edits = await service.store.edits.list(0n, 9);
	const editors = edits.map(({ petId, editor }) => `${petId} ${editor}`);
	assert.deepEqual(editors, ["1 test", "4 next person"]);
});

test("a category made while the names are read again has its name in the message", async (context) => {
	const { page } = await opened(context, names);
	await settled(page);
	const { promise: isMade, resolve: answer } = Promise.withResolvers<void>();
	const read = async (route: Route) => {
		await isMade;
		await route.fulfill({ json: { categories: [] } });
	};
	await page.route("**/console/categories", read, { times: 1 });
	const reading = page.waitForRequest("**/console/categories");
	await page.evaluate('dispatchEvent(new Event("focus"))');
	await reading;
	const release = await hold(page, "**/console/categories", { isStored: true, when: (one) => one.method() === "POST" });
	await page.locator("tbody").getByRole("button", { name: "Category of Luna: 2" }).click();
	await page.getByRole("combobox", { name: "Name or number" }).fill("Guinea pig");
	await page.getByRole("option", { name: "New category: Guinea pig" }).click();
	answer();
	await settled(page);
	release();
	await message(page, "Luna is in Guinea pig").waitFor();
});

test("filters and order are chips that a click removes; the totals are those of the category", async (context) => {
	const { service, page } = await opened(context, numbered(40), "#/animals");
	await service.store.categories.apply([{ id: 1n, name: "Dog" }]);
	await service.store.createPet({ name: "Moss", categoryId: 1n });
	await page.reload();
	const statuses = page.getByRole("group", { name: "Filter by status" });
	const chip = (name: string) => statuses.getByRole("button", { name });
	await chip("Not set 1").click();
	await row(page, "Animal 1").waitFor({ state: "detached" });
	assert.deepEqual(await namesOn(page), ["Moss"]);
	await chip("Not set 1").click();
	await resize(page, 1024);
	await click(page, "Sorted by ascending id: show the newest first", row(page, "Animal 40"));
	await page.getByRole("button", { name: "Category: all" }).click();
	await page.getByRole("option", { name: "Dog 1" }).click();
	await row(page, "Animal 40").waitFor({ state: "detached" });
	const shown = (await statuses.getByRole("button").allTextContents()).join(", ");
	assert.equal(shown, "All7, Available2, Pending2, Sold2, Not set1");
	await chip("Sold 2").click();
	await row(page, "Moss").waitFor({ state: "detached" });
	await assertBothAccessible(page, "with filters");
	await chip("Sold 2").click();
	await button(page, "Show all categories").click();
	await click(page, page.getByRole("columnheader", { name: "Name" }).getByRole("button"), row(page, "Animal 1"));
	await click(page, "Sorted by name: show the newest first", row(page, "Moss"));
	assert.equal(await page.evaluate("location.hash"), "#/animals");
});

test("all animals of a filter are selected, changed after one question, and changed back at once", async (context) => {
	const { service, page, errors } = await opened(context, numbered(180), "#/animals?limit=10&status=sold");
	const first = service.store.edits;
	const release = await hold(page, "**/console/exports");
	await page.getByLabel("Select all").check();
	await button(page, "Select all 60").click();
	await press(page, "Delete");
	assert.equal(await button(page, "Remove …").getAttribute("aria-disabled"), "true");
	assert.equal(await page.getByRole("alertdialog").count(), 0, "no edit of the page's animals alone");
	await press(page, "Escape");
	await button(page, "Sold 60").click();
	release();
	await row(page, "Animal 1").waitFor();
	await settled(page);
	assert.equal(await page.getByRole("toolbar").count(), 0, "a reply that comes late selects nothing");
	await button(page, "Sold 60").click();
	await row(page, "Animal 1").waitFor({ state: "detached" });
	await page.getByLabel("Select all").check();
	let orders = 0;
	const refuseFirst = (route: Route) => (++orders === 1 ? route.fulfill({ status: 503, json: {} }) : route.fallback());
	await page.route("**/console/exports", refuseFirst);
	await button(page, "Select all 60").click();
	await button(page, "Not read: try again").dblclick();
	await shows(page, "60 selected");
	assert.deepEqual([await focused(page), orders], ["60 selected", 2]);
	takeOut(errors, /503/);
	for (const [status, shown] of [
		["pending", "Animal 33"],
		["sold", "Animal 3"],
	] as const) {
		await elsewhere(page, () => first.apply({ petId: 3n, editor: "Ann", action: "set-status", status }));
		await click(page, "Refresh", row(page, shown));
		assert.ok(await page.getByLabel(`Select ${shown}`, { exact: true }).isChecked(), "the selection stays what it was");
		await shows(page, "60 selected");
	}
	await service.store.createPet({ name: "Newcomer", categoryId: 1n, status: "sold" });
	const exported = async () => {
		await button(page, "Export").click();
		const text = await saved(page, "NDJSON, one animal per line");
		await press(page, "Escape");
		return text.trim().split("\n").length;
	};
	assert.equal(await exported(), 60);
	await page.getByLabel("Select Animal 3", { exact: true }).uncheck();
	await shows(page, "59 selected");
	assert.equal(await exported(), 59);
	await page.getByLabel("Select Animal 3", { exact: true }).check();
	await button(page, "Set status s").click();
	await page.getByRole("menuitemradio", { name: "pending" }).click();
	await page.getByRole("alertdialog", { name: "Change 60 animals?" }).getByText("They will be pending").waitFor();
	assert.equal(await focused(page), "Change nothing");
	await first.apply({ petId: 6n, editor: "Ann", action: "set-status", status: "available" });
	let batches = 0;
	const second = Promise.withResolvers<void>();
	await page.route("**/console/edits", async (route) => {
		if (++batches === 2) await second.promise;
		await route.fallback();
	});
	await click(page, "Change 60 animals", message(page, "Changing 60 animals: 50 done"));
	second.resolve();
	const told = /^59 animals are pending\. Ann was first and has marked Animal 6 as available/;
	await toast(page).getByText(told).waitFor();
	const sold = async () => (await petsOf(service)).filter((pet) => pet.endsWith(" sold")).length;
	assert.equal(await sold(), 0, "of the first 100 animals");
	await click(page, "Undo Ctrl Z", message(page, "59 animals are sold"));
	assert.equal(await sold(), 32);
	await settled(page);
	await page.getByLabel("Select all").check();
	await click(page, "Select all 60", "60 selected");
	await button(page, "Redo").click();
	await page.getByRole("toolbar").waitFor({ state: "detached" });
});
