// Finding animals and commands in the web console: the search by name, the palette, and single keys.

import assert from "node:assert/strict";
import { test } from "../support/browser.ts";
import { until } from "../support/until.ts";
import { button, namesOn, numbered, openConsole, opened, row, shows, signIn, takeOut } from "./console.ts";

test("the search finds names without regard to case and accents, and so does its URL", async (context) => {
	const names = [...numbered(205), "Zoë the cat", "ZOE", "zo\u0065\u0308", "Zero"];
	const { service, page } = await opened(context, names);
	await page.keyboard.press("/");
	await page.keyboard.type("zoë");
	await page.keyboard.press("Enter");
	await shows(page, "3 animals with “zoë” in the name.");
	await shows(page, "searched all 209");
	assert.deepEqual(await namesOn(page), names.slice(205, 208));
	assert.deepEqual(await page.locator("tbody mark").allTextContents(), ["Zoë", "ZOE", "zo\u0065\u0308"]);
	const other = await openConsole(context, service.url, { hash: new URL(page.url()).hash });
	await signIn(other.page, service.key);
	await shows(other.page, "3 animals with “zoë” in the name.");
	await row(other.page, "ZOE").click();
	await other.page.locator(".panel dd", { hasText: /^207$/ }).waitFor();
	await page.getByRole("button", { name: /^Sold/ }).click();
	await shows(page, "1 animal with “zoë” in the name.");
	await button(page, "Export").click();
	await shows(page, "Export all animals with the status sold and “zoë” in the name");
	await page.keyboard.press("Escape");
	const field = page.getByLabel("Find by name");
	await field.fill("another");
	await shows(page, "1 animal with “zoë” in the name.");
	await field.fill("");
	await page.getByText("with “zoë”").waitFor({ state: "detached" });
	await field.fill("zo");
	await page.keyboard.press("Enter");
	await shows(page, "1 animal with “zo” in the name.");
	await button(page, "Back to the list").click();
	await row(page, "Animal 3").waitFor();
	await field.fill("no such name");
	await page.keyboard.press("Enter");
	await shows(page, "No name of an animal with the status sold contains “no such name”.");
});

test("rows appear as they are found and open; a stopped search keeps them and goes on", async (context) => {
	const { page } = await opened(context, numbered(260));
	const { promise: released, resolve: release } = Promise.withResolvers<void>();
	context.after(() => release());
	// A reply has at most 200 animals; the second one is late.
	await page.route("**/console/find?*after=200", async (route) => {
		await released;
		await route.continue().catch(() => {});
	});
	await page.getByLabel("Find by name").fill("animal");
	await page.keyboard.press("Enter");
	await shows(page, "200 animals with “animal” in the name so far …");
	await shows(page, "searched 200 of 260");
	await row(page, "Animal 200").click();
	await page.getByRole("complementary", { name: "Animal 200" }).waitFor();
	await button(page, "Stop").click();
	await shows(page, "Stopped: 200 animals with “animal” in the name so far.");
	release();
	await button(page, "Go on").click();
	await shows(page, "260 animals with “animal” in the name.");
	assert.deepEqual(await namesOn(page), numbered(260));
});

test("the end of a search, by Esc or by emptying the field, returns to the same page and row", async (context) => {
	const { page } = await opened(context, numbered(35), "#/animals?limit=10&status=available");
	await button(page, "Next").click();
	const link = page.getByRole("link", { name: "Animal 34", exact: true });
	await link.focus();
	const hash = new URL(page.url()).hash;
	const field = page.getByLabel("Find by name");
	for (const end of [() => page.keyboard.press("Escape"), () => field.fill("")]) {
		await page.keyboard.press("/");
		await page.keyboard.type("animal 1");
		await page.keyboard.press("Enter");
		await shows(page, "5 animals with “animal 1” in the name.");
		await end();
		await until("the focus on the row", () =>
			link.evaluate((element) => element === element.ownerDocument.activeElement),
		);
		assert.equal(new URL(page.url()).hash, hash);
	}
	await link.click();
	await page.getByRole("complementary", { name: "Animal 34" }).waitFor();
	await page.keyboard.press("/");
	await page.keyboard.type("animal 1");
	await page.keyboard.press("Enter");
	await shows(page, "5 animals with “animal 1” in the name.");
	await button(page, "Back to the list").click();
	await page.getByRole("complementary", { name: "Animal 34" }).waitFor();
	assert.equal(await field.inputValue(), "");
	await field.fill("not sent");
	await page.keyboard.press("Escape");
	assert.equal(await field.inputValue(), "");
	await page.getByRole("complementary", { name: "Animal 34" }).waitFor();
});

test("a search that fails keeps what was found, and goes on when the server answers", async (context) => {
	const { page, errors } = await opened(context, numbered(260));
	let isAway = true;
	await page.route("**/console/find?*after=200", (route) => (isAway ? route.abort() : route.continue()));
	await page.getByLabel("Find by name").fill("animal");
	await page.keyboard.press("Enter");
	await shows(page, "The search is not complete");
	assert.equal((await namesOn(page)).length, 200);
	isAway = false;
	await button(page, "Try again").click();
	await shows(page, "260 animals with “animal” in the name.");
	takeOut(errors, /ERR_FAILED/);
});

/** In the palette, on the first of two pages, beside the panel of an animal that may be edited. */
const commands = `Mark Animal 1 as availables a, Mark Animal 1 as pendings p, Mark Animal 1 as solds s,
	Mark Animal 1 as not sets n, Remove Animal 1 …Delete, Rename Animal 1F2, Select Animal 1x, Next animalj,
	Previous animalk, Next page], Newest animals}, Find by name/, Go to Animalsg a, Go to Activityg c, Go to the referenceg d,
	Add animaln, Add many animals from a filem, Keyboard shortcuts?, Show the key, Stay signed in on this computer,
	Sign out of all tabs, Export all animals: Workbook (.xlsx), for spreadsheets, Export all animals: CSV,
	Export all animals: CSV with semicolons, for Excel in German, Export all animals: NDJSON, one animal per line,
	Export all animals: JSON, one array, Select all on this page, Refresh the list, Show 10 animals per page,
	Show 20 animals per page, Show 30 animals per page, Show 50 animals per page, Show 100 animals per page,
	Show animals with the status available, Show animals with the status pending, Show animals with the status sold,
	Copy JSON, Copy curl: list, Copy curl: add, Copy link`;

test("the palette finds commands by their words, opens an id and searches a name", async (context) => {
	const { page } = await opened(context, numbered(40), "#/animals?limit=10");
	await row(page, "Animal 1").waitFor();
	const run = async (text: string) => {
		await page.keyboard.press("Control+k");
		await page.getByRole("combobox", { name: "Command, name or id" }).fill(text);
		await page.keyboard.press("Enter");
		await page.locator("dialog").waitFor({ state: "detached" });
	};
	await run("status sold");
	await shows(page, "13 animals, ids 3 to 39 · the newest");
	await run("39");
	await page.getByRole("complementary", { name: "Animal 39" }).waitFor();
	await page.keyboard.press("Control+k");
	await page.getByRole("combobox", { name: "Command, name or id" }).fill("animal 40");
	await page.getByRole("option", { name: "Find animals named “animal 40”" }).click();
	await shows(page, "1 animal with “animal 40” in the name.");
	await run("export csv");
	await shows(page, "The download has begun.");
	await page.keyboard.press("Escape");
	assert.equal(await page.evaluate("document.activeElement.textContent"), "Export");
	await run("back to");
	await page.getByText("with “animal 40”").waitFor({ state: "detached" });
	await row(page, "Animal 1").click();
	await page.getByRole("complementary", { name: "Animal 1", exact: true }).waitFor();
	await page.keyboard.press("Control+k");
	const offered = await page.locator("[role=option]").allTextContents();
	assert.equal(offered.join(", "), commands.replaceAll(/\s+/g, " "));
	await page.getByRole("option", { name: "Keyboard shortcuts" }).click();
	await page.getByLabel("Single keys work").waitFor();
	await page.keyboard.press("Escape");
	await page.locator("dialog").waitFor({ state: "detached" });
	await page.keyboard.press("Control+k");
	await page.getByRole("combobox", { name: "Command, name or id" }).fill("go to");
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("Enter");
	await page.getByRole("heading", { name: "Activity" }).waitFor();
});

test("single keys move through animals and pages and between views, and can be turned off", async (context) => {
	const { page } = await opened(context, numbered(25), "#/animals?limit=10");
	await row(page, "Animal 1").waitFor();
	const panel = (name: string) => page.getByRole("complementary", { name, exact: true });
	await page.keyboard.press("j");
	await page.keyboard.press("Enter");
	await panel("Animal 1").waitFor();
	await page.keyboard.press("ArrowDown");
	await panel("Animal 2").waitFor();
	await page.keyboard.press("k");
	await panel("Animal 1").waitFor();
	await page.keyboard.press("Escape");
	await panel("Animal 1").waitFor({ state: "detached" });
	await page.keyboard.press("]");
	await row(page, "Animal 11").waitFor();
	await page.keyboard.press("}");
	await row(page, "Animal 25").waitFor();
	await page.keyboard.press("{");
	await row(page, "Animal 1").waitFor();
	await page.keyboard.press("g");
	await page.keyboard.press("c");
	await page.getByRole("heading", { name: "Activity" }).waitFor();
	await page.clock.install();
	await page.keyboard.press("g");
	await page.clock.fastForward(1_600);
	await page.keyboard.press("a");
	await page.getByRole("heading", { name: "Activity" }).waitFor();
	await page.keyboard.press("g");
	await page.clock.fastForward(1_400);
	await page.keyboard.press("a");
	await row(page, "Animal 1").waitFor();
	await page.keyboard.press("n");
	await page.getByLabel("Name", { exact: true }).waitFor();
	await page.keyboard.type("j?");
	assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "j?", "keys in a field are text");
	await page.keyboard.press("Escape");
	await page.locator(".panel").waitFor({ state: "detached" });
	await page.keyboard.press("?");
	assert.equal(
		await page.locator("dialog dl").textContent(),
		"Ctrl KAll commands/Find by name↑↓Previous or next animal, also k and jEnterOpen the animal in focus" +
			"sSet its status, or that of the selectedF2Rename itDeleteRemove it, or the selectedxSelect it" +
			"Shift ↑↓Select severalCtrl ZUndo, as long as that is offered[]Previous or next page" +
			"{}First page, newest animalsnAdd an animalmAdd manyg aGo to Animalsg cGo to Activityg dGo to the reference" +
			"EscClose?This sheet",
	);
	await page.getByLabel("Single keys work").uncheck();
	await page.keyboard.press("Escape");
	await page.keyboard.press("j");
	await page.keyboard.press("Control+k");
	await page.getByRole("combobox", { name: "Command, name or id" }).waitFor();
	assert.equal(await page.locator(".panel").count(), 0);
});
