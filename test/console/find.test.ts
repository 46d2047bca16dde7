// How to find animals and commands in the web console: the search by name, the palette, and single keys.

import assert from "node:assert/strict";
import { hold, settled, test } from "../support/browser.ts";
import { until } from "../support/until.ts";
import { elsewhere, numbered, opened, pauseClock, signedIn, takeOut } from "./console.ts";
import { button, focused, namesOn, panel, row } from "./page.ts";
import { click, command, enter, hit, press, shows } from "./steps.ts";

test("what is typed is found anywhere in the names, by pages, filters and order, as its link", async (context) => {
	const names = [...numbered(205), "Zoë the cat", "ZOE", "zo\u0065\u0308", "Zero"];
	const { service, page } = await opened(context, names);
	const asked: string[] = [];
	page.on("request", (request) => request.url().includes("/find?") && asked.push(new URL(request.url()).search));
	await page.keyboard.press("/");
	await page.keyboard.type("zoë");
	await shows(page, "3 animals with “zoë” in the name");
	const query = `?${new URLSearchParams({ name: "zoë", sort: "id", limit: "30" })}`;
	assert.equal(asked.at(-1), query, "the search needs no Enter");
	assert.deepEqual(await namesOn(page), names.slice(205, 208));
	await click(page, page.getByRole("button", { name: /^Sold/ }), "1 animal with “zoë” in the name");
	await click(page, "Export", "Export all animals with the status sold and “zoë” in the name");
	await click(page, "CSV", /^animals-.*\.csv is saved\.$/);
	await page.keyboard.press("Escape");
	assert.equal(await page.evaluate("document.activeElement.textContent"), "Export");
	const field = page.getByLabel("Find by name");
	await field.fill("no such name");
	await shows(page, "No animal has the status sold and “no such name” in the name.");
	await click(page, "Export", button(page, "CSV"));
	await page.getByRole("button", { name: /^All/ }).click();
	await field.fill("animal");
	await shows(page, "1 to 30 of 205 animals with “animal” in the name");
	const heading = (name: string) => page.getByRole("columnheader", { name });
	await heading("Name").getByRole("button").press("Enter");
	await heading("Name").and(page.locator("[aria-sort=ascending]")).waitFor();
	const sorted = numbered(205).sort();
	await row(page, sorted[29] as string).waitFor();
	assert.deepEqual(await namesOn(page), sorted.slice(0, 30));
	await page.evaluate("document.querySelector('.rows').scrollTo(0, 400)");
	await click(page, "Next", "31 to 60 of 205 animals");
	assert.equal(await page.evaluate("document.querySelector('.rows').scrollTop"), 0, "the next page begins at its top");
	assert.deepEqual(await namesOn(page), sorted.slice(30, 60));
	const other = await signedIn(context, service, { hash: new URL(page.url()).hash });
	await row(other.page, sorted[59] as string).waitFor();
	assert.deepEqual(await namesOn(other.page), sorted.slice(30, 60));
	await click(page, "Previous", "1 to 30 of 205 animals");
	await heading("Name").getByRole("button").click();
	await row(page, sorted.at(-1) as string).waitFor();
	await heading("Id").getByRole("button").click();
	await row(page, "Animal 1").waitFor();
	await heading("Id").getByRole("button").click();
	await row(page, "Animal 205").waitFor();
	await field.fill("207");
	await row(page, "ZOE").waitFor();
	await elsewhere(page, () => service.store.categories.apply([{ id: 3n, name: "Dog" }]));
	await elsewhere(page, () => service.store.categories.apply([{ id: 5n, name: "Cat" }]));
	await page.reload();
	await click(page, "Category: all", page.getByRole("dialog", { name: "Filter by category" }));
	const offered = await page.getByRole("option").locator("span").allTextContents();
	assert.deepEqual(offered, ["Cat", "Dog", "1", "2", "4", "6", "7"], "names first");
	await enter(page, "do");
	await shows(page, "No animal has the category Dog and “207” in the name, id or category.");
	await click(page, "Back to the list", "30 animals");
	assert.equal(new Set(await page.locator("tbody td.category").allTextContents()).size, 1);
	for (let back = 0; back < 2; back++) await page.goBack();
	await row(page, "ZOE").waitFor();
});

test("only the reply to what was typed last is shown, and the rows before stay until then", async (context) => {
	const { page, errors } = await opened(context, ["Rex", "Luna", "Lulu"]);
	const release = await hold(page, "**/console/find?name=lu&*");
	const field = page.getByLabel("Find by name");
	const isAsked = page.waitForRequest("**/console/find?name=lu&*");
	await field.fill("lu");
	const { promise: isLeft, resolve: leave } = Promise.withResolvers<void>();
	const asked = await isAsked;
	page.on("requestfailed", (request) => request === asked && leave());
	assert.deepEqual(await namesOn(page), ["Rex", "Luna", "Lulu"]);
	await field.fill("lul");
	await isLeft;
	await shows(page, "1 animal with “lul” in the name");
	release();
	let isAway = true;
	await page.route("**/console/find?name=luna&*", (route) => (isAway ? route.abort() : route.continue()));
	await field.fill("luna");
	await shows(page, /The server does not answer\. These rows are from/);
	assert.deepEqual(await namesOn(page), ["Lulu"]);
	isAway = false;
	await click(page, "Try now", "1 animal with “luna” in the name");
	takeOut(errors, /ERR_FAILED/);
});

test("the end of a search, by Esc or the button of the field, returns to the same page and row", async (context) => {
	const { page } = await opened(context, numbered(35), "#/animals?limit=10&status=available");
	await button(page, "Next").click();
	const link = page.getByRole("link", { name: "Animal 34", exact: true });
	await link.focus();
	const hash = new URL(page.url()).hash;
	const field = page.getByLabel("Find by name");
	const { width = 0, height = 0 } = (await field.boundingBox()) ?? {};
	const empty = () => field.click({ position: { x: width - 18, y: height / 2 } });
	for (const end of [() => page.keyboard.press("Escape"), empty]) {
		await page.keyboard.press("/");
		await page.keyboard.type("animal 1");
		await shows(page, "5 animals with “animal 1” in the name");
		await end();
		await until("the focus on the row", () => link.evaluate((element) => element.matches(":focus")));
		assert.equal(new URL(page.url()).hash, hash);
	}
	await button(page, "Refresh").click();
	await settled(page);
	assert.equal(await focused(page), "Refresh", "only the end of a search moves the focus");
	await link.click();
	await panel(page, "Animal 34").waitFor();
	await page.keyboard.press("/");
	await page.keyboard.type("animal ");
	await shows(page, "1 to 10 of 12 animals with “animal” in the name");
	await page.keyboard.type("1");
	await shows(page, "5 animals with “animal 1” in the name");
	await click(page, "Back to the list", panel(page, "Animal 34"));
	assert.equal(await field.inputValue(), "");
});

/** The palette's commands on the first of two pages, next to the open panel of an animal that may be edited. */
const commands = `Mark Animal 1 as availables a, Mark Animal 1 as pendings p, Mark Animal 1 as solds s,
	Mark Animal 1 as not sets n, Change the category of Animal 1 …c, Remove Animal 1 …Delete, Rename Animal 1F2, Select Animal 1x, Next animalj,
	Previous animalk, Next page], Newest animals}, Find by name/, Go to Animalsg a, Go to Changesg c, Go to the referenceg d,
	Add animaln, Add many animals from a filem, Show the key, Server, Stay signed in on this computer,
	Sign out, Export all animals …, Show available animals, Show pending animals, Show sold animals,
	Show animals without a status, Select all on this page, Refresh the list,
	Sort the list by ascending id, Sort the list newest first, Sort the list by name, Sort the list by name, from Z to A,
	Turn single-key shortcuts off, Copy JSON, Copy curl: list, Copy curl: add, Copy link`;

test("the palette finds commands by their words, opens an id and searches a name", async (context) => {
	const { page } = await opened(context, numbered(40), "#/animals?limit=10");
	const run = async (text: string) => {
		await command(page, text);
		await page.keyboard.press("Enter");
		await page.locator("dialog").waitFor({ state: "detached" });
	};
	await run("39");
	await panel(page, "Animal 39").waitFor();
	await command(page, "animal 40");
	await page.getByRole("option", { name: "Find animals named “animal 40”" }).click();
	await shows(page, "1 animal with “animal 40” in the name");
	await run("back to");
	await page.getByText("with “animal 40”").waitFor({ state: "detached" });
	await click(page, row(page, "Animal 1"), panel(page, "Animal 1"));
	await page.keyboard.press("Control+k");
	const offered = await page.locator("[role=option]").allTextContents();
	assert.equal(offered.join(", "), commands.replaceAll(/\s+/g, " "));
	await page.keyboard.press("Escape");
	await page.locator("dialog").waitFor({ state: "detached" });
	await command(page, "go to");
	await hit(page, "ArrowUp", page.getByRole("option", { name: "Find animals named “go to”", selected: true }));
	await page.keyboard.type(" a");
	await page.getByRole("option", { name: "Go to Animals", selected: true }).waitFor();
	await hit(page, "ArrowDown Enter", page.getByRole("heading", { name: "Changes" }));
});

test("single keys move through animals and pages and between views, and can be turned off", async (context) => {
	const { page } = await opened(context, numbered(25), "#/animals?limit=10");
	await hit(page, "j Enter", panel(page, "Animal 1"));
	await hit(page, "ArrowDown", panel(page, "Animal 2"));
	await hit(page, "k", panel(page, "Animal 1"));
	await page.keyboard.press("Escape");
	await panel(page, "Animal 1").waitFor({ state: "detached" });
	await hit(page, "x", "1 selected");
	await hit(page, "]", row(page, "Animal 11"));
	await page.getByText("1 selected").waitFor({ state: "detached" });
	await hit(page, "}", row(page, "Animal 25"));
	await hit(page, "{", row(page, "Animal 1"));
	assert.equal(await page.getByText("1 selected").count(), 0, "another page ends the selection");
	await hit(page, "g c", page.getByRole("heading", { name: "Changes" }));
	const animals = page.getByRole("link", { name: "Animals", exact: true });
	assert.equal(await animals.getAttribute("href"), "#/animals?sort=id&limit=10", "back to the same list");
	await page.clock.install();
	await pauseClock(page);
	await page.keyboard.press("g");
	await page.clock.fastForward(1_500);
	await page.keyboard.press("a");
	assert.equal(await page.evaluate("location.hash"), "#/changes");
	await page.keyboard.press("g");
	await page.clock.fastForward(1_499);
	await page.keyboard.press("a");
	await page.clock.resume();
	await row(page, "Animal 1").waitFor();
	await hit(page, "n", page.getByLabel("Name", { exact: true }));
	await page.keyboard.type("j?");
	assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "j?", "in a field, keys are text");
	await page.keyboard.press("Escape");
	await page.locator(".panel").waitFor({ state: "detached" });
	await page.keyboard.press("?");
	await page.getByRole("option", { name: "Turn single-key shortcuts off" }).click();
	await page.locator("dialog").waitFor({ state: "detached" });
	await press(page, "n", "?");
	assert.equal(await page.locator("dialog").count(), 0);
	await command(page, "shortcuts");
	assert.equal(await page.locator(".panel").count(), 0);
	await page.getByRole("option", { name: "Turn single-key shortcuts on" }).click();
	await page.locator("dialog").waitFor({ state: "detached" });
	await hit(page, "n", page.locator(".panel"));
});

test("on paper, the list has all rows of its page, what they have in common, and no controls", async (context) => {
	const { page } = await opened(context, numbered(250), "#/animals?limit=100&status=sold");
	await page.emulateMedia({ media: "print" });
	await shows(page, /^Animals\. Filter: the status sold\. Read on /);
	const heights = "[document.querySelector('.rows').clientHeight, document.querySelector('.rows').scrollHeight]";
	const [shown, whole] = await page.evaluate<number[]>(heights);
	assert.equal(shown, whole);
	assert.equal(await page.getByRole("button", { name: "Next" }).count(), 0);
	assert.equal(await page.getByRole("button", { name: "Add animal" }).count(), 0);
});
