// The panel, the undo line and the selection bar: they move no row, cover nothing and can be closed. axe finds no
// violations. A key without pets:edit sees no way to edit.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { test } from "../support/browser.ts";
import { until } from "../support/until.ts";
import { assertAccessible, assertBothAccessible, assertFits, resize } from "./accessible.ts";
import { elsewhere, names, openAs, opened, pauseClock, takeOut } from "./console.ts";
import { button, focused, inTable, panel, row, toast } from "./page.ts";
import { click, command, enter, hit, press, sell, shows } from "./steps.ts";

test("a key without pets:edit sees no way to edit, and its keys do nothing", async (context) => {
	const { service, page, errors } = await openAs(context, ["pets:read", "pets:write"], { names });
	await button(page, "All 7").waitFor();
	await elsewhere(page, () => service.store.edits.apply({ petId: 2n, editor: "Ann", action: "rename", name: "Lu" }));
	await row(page, "Lu").waitFor();
	await click(page, row(page, "Rex"), panel(page, "Rex").getByText("Not edited since it was added."));
	await press(page, "x", "s", "c", "Delete", "F2");
	await command(page);
	const commands = await page.getByRole("option").allTextContents();
	assert.ok(!commands.some((text) => /Mark|Change the|Remove|Rename|[Ss]elect|Undo/.test(text)), String(commands));
	await page.keyboard.press("Escape");
	assert.equal(await page.getByRole("button", { name: /(Status|Category|Name) of|Rename|Remove|Select/ }).count(), 0);
	assert.equal(await page.getByRole("checkbox").count(), 0);
	assert.deepEqual(errors, []);
});

test("the panel moves no row, so a double-click never opens the neighbor; a phone can go on", async (context) => {
	const { page } = await opened(context, [...names, "Sir Wilhelm von und zu Hohenstein-Lichtenberg der Dritte"]);
	const places = () =>
		page.evaluate("[...document.querySelectorAll('tbody tr')].map((each) => each.getBoundingClientRect().y)");
	for (const width of [1440, 1280, 1279, 901]) {
		await resize(page, width);
		const before = await places();
		await row(page, "Zoë").dblclick();
		await panel(page, "Zoë").waitFor();
		assert.deepEqual(await places(), before, `at ${width} pixels`);
		await hit(page, "n", page.getByLabel("Name", { exact: true }));
		assert.deepEqual(await places(), before, `the form at ${width} pixels`);
		await hit(page, "Escape Escape x", "1 selected");
		assert.deepEqual(await places(), before, `the selection at ${width} pixels`);
		await page.keyboard.press("Escape");
	}
	await resize(page, 390);
	await row(page, "Luna").click();
	await click(page, "Next animal", panel(page, "Bella"));
	await shows(page, "3 of 8 on this page");
	await button(page, "Previous animal").click();
	await click(page, "Previous animal", panel(page, "Rex"));
	assert.equal(await button(page, "Previous animal").getAttribute("aria-disabled"), "true");
	await click(page, page.locator(".panel button.pill"), page.getByRole("menu"));
	const sheet = await page.locator(".status-menu").boundingBox();
	assert.ok(sheet && sheet.width === 390 && sheet.y + sheet.height === 800, JSON.stringify(sheet));
	// A click outside the menu only closes it.
	await page.mouse.click(60, 400);
	await page.getByRole("menu").waitFor({ state: "detached" });
	await page.getByRole("button", { name: "close" }).click();
	await click(page, "Select", "0 selected");
	assert.equal(await button(page, "Set status").count(), 0);
	await page.getByLabel("Select Luna").check();
	await shows(page, "1 selected");
	for (const width of [390, 720]) {
		await resize(page, width);
		const toolbar = page.getByRole("toolbar");
		const boxOf = (name: string) => toolbar.getByRole("button", { name }).boundingBox();
		const boxes = await Promise.all(["Set status", "Category", "Export", "Remove …"].map(boxOf));
		const tops = boxes.map((box) => box?.y);
		assert.equal(new Set(tops).size, 1, `one line of tools at ${width} pixels: ${tops}`);
	}
});

test("the line with the undo leaves after 8 seconds, but not under the pointer or the focus", async (context) => {
	const { page } = await opened(context, names);
	await page.clock.install();
	await sell(page, "Rex: available");
	const undo = button(page, "Undo Ctrl Z");
	await undo.hover();
	await page.clock.fastForward(60_000);
	await undo.focus();
	await page.mouse.move(0, 0);
	await page.clock.fastForward(60_000);
	for (const width of [1440, 390]) {
		await resize(page, width, 844);
		await until("the line above the paging", async () => {
			const line = await page.locator(".toast").boundingBox();
			const paging = await page.locator(".paging").boundingBox();
			return line && paging && line.y + line.height <= paging.y;
		});
	}
	await resize(page, 1440, 844);
	await pauseClock(page);
	await row(page, "Kiwi").getByRole("link").focus();
	await page.clock.fastForward(7_999);
	await undo.waitFor();
	await page.clock.fastForward(1);
	await undo.waitFor({ state: "detached" });
	await page.clock.resume();
	await hit(page, "Control+z", inTable(page, "Rex: available"));
});

test("where an animal covers the list, Back closes it, and leads no further than to the list", async (context) => {
	const { service, page } = await opened(context, names, "#/changes");
	await resize(page, 390, 844);
	await page.getByRole("link", { name: "Animals", exact: true }).click();
	const isClosed = () => page.locator(".panel").waitFor({ state: "detached" });
	const entries = () => page.evaluate<number>("history.length");
	await click(page, row(page, "Luna"), panel(page, "Luna"));
	// The newest animal comes first.
	await click(page, "Previous animal", panel(page, "Bella"));
	const before = await entries();
	await page.goBack();
	await isClosed();
	assert.equal(await focused(page), "Bella");
	assert.match(page.url(), /#\/animals$/);
	await row(page, "Luna").click();
	await page.getByRole("button", { name: "close" }).click();
	await isClosed();
	assert.equal(await focused(page), "Luna");
	assert.equal(await entries(), before, "no animal leaves an entry behind");
	await page.goBack();
	await page.getByRole("heading", { name: "Changes" }).waitFor();
	await page.goto(`${service.url}/console#/animals?id=2`);
	await click(page, page.getByRole("button", { name: "close" }), row(page, "Luna"));
	assert.match(page.url(), /#\/animals$/, "the panel also closes after a link");
});

test("in the panel, the undo is in reach on a phone too, and a long history covers nothing", async (context) => {
	const { page } = await opened(context, names);
	await resize(page, 390, 844);
	await row(page, "Rex").click();
	const edits = panel(page, "Rex").locator(".history li");
	for (let count = 0; count < 10; count += 2) {
		await page.locator(".panel button.pill").click();
		await page.getByRole("menuitemradio", { name: "sold" }).click();
		await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
		await until("both edits to be listed", async () => (await edits.count()) === count + 2);
	}
	await page.getByText("For developers").click();
	for (const [width, height] of Object.entries({ 1280: 720, 720: 450, 390: 844 })) {
		await resize(page, Number(width), height);
		await page.evaluate("document.querySelector('.panel').scrollTo(0, 0)");
		const ends = await page.evaluate<number[]>(`[...document.querySelectorAll(".panel > *")].flatMap((part) => {
			const { top } = part.getBoundingClientRect();
			return [top, top + part.scrollHeight - 4];
		})`);
		const isInOrder = ends.every((end, at) => end >= (ends[at - 1] ?? end));
		assert.ok(isInOrder, `${ends} at ${width} pixels`);
		await page.locator(".panel .removal").scrollIntoViewIfNeeded();
		const { y = -1 } = (await button(page, "Next animal").boundingBox()) ?? {};
		assert.ok(y >= 0, `the buttons to the next animal are at ${y} at ${width} pixels`);
	}
});

for (const width of [1440, 768, 320]) {
	test(`axe finds nothing in what edits show, and nothing is cut off, at ${width} pixels`, async (context) => {
		// The other widths have the same elements in the same colors, in another layout.
		const check = width === 1440 ? assertBothAccessible : assertFits;
		const checkWell = width === 1440 ? assertBothAccessible : assertAccessible;
		const { page } = await opened(context, [...names, "W".repeat(255)]);
		await resize(page, width, 844);
		await page.locator("tbody tr").nth(7).locator("a").click();
		await page.locator(".panel").getByText("Not edited since it was added.").waitFor();
		await click(page, page.locator(".panel button.pill"), page.getByRole("menu"));
		await check(page, "the menu");
		await page.keyboard.press("Escape");
		await page.locator(".panel [data-edits=category]").click();
		await page.getByRole("combobox", { name: "Name or number" }).fill("Guinea pig");
		await page.getByRole("option", { name: "New category: Guinea pig" }).waitFor();
		await check(page, "the categories");
		await hit(page, "Enter", page.locator(".panel").getByText("Moved from 1 to Guinea pig by test"));
		await click(page, page.locator(".panel button.pill"), page.getByRole("menu"));
		await hit(page, "s", toast(page));
		await page.locator(".panel").getByText("Marked as sold by test").waitFor();
		await page.locator(".toast button").focus(); // The undo stays, however long the checks take.
		await checkWell(page, "the undo and the history");
		await hit(page, "Control+k", page.getByRole("option", { name: /^Undo: .* Ctrl Z$/, selected: true }));
		await check(page, "the palette with the undo");
		await page.keyboard.press("Escape");
		await page.locator(".panel .rename").click();
		await enter(page, "", "Name", "Enter a name.");
		await check(page, "a name that is refused");
		await page.keyboard.press("Escape");
		await click(page, page.getByRole("button", { name: /^Remove W/ }), page.getByRole("alertdialog"));
		await check(page, "the question");
		await page.keyboard.press("Escape");
		await page.getByRole("alertdialog").waitFor({ state: "detached" });
		await page.keyboard.press("Escape");
		if (width < 760) await button(page, "Select").click();
		await page.getByLabel("Select all on this page").check();
		await shows(page, "8 selected");
		await checkWell(page, "the selection");
		await hit(page, "Delete", page.getByText(/^Rex, Luna, Bella, and 5 more will be gone/));
		await press(page, "Enter");
		if (width < 1280) return;
		await page.keyboard.press("Escape");
		await page.getByRole("button", { name: "Name of category 8" }).click();
		await page.getByLabel("Name", { exact: true }).waitFor();
		await check(page, "the name of a category");
	});
}

test("a part of the console that cannot be loaded says so, and the page can be loaded again", async (context) => {
	let isAway = true;
	const before = (page: Page) =>
		page.route(/assets\/(pet-panel|send-edits)/, (route) => (isAway ? route.abort() : route.continue()));
	const { page, errors } = await opened(context, names, "", { before });
	await sell(page, "Rex: available");
	const told = "Nothing was changed, because a part of the console could not be loaded. Reload the page.";
	await toast(page).getByText(told).waitFor();
	await inTable(page, "Rex: available").waitFor();
	await click(page, row(page, "Luna"), "This part could not be loaded");
	isAway = false;
	await page.route("**/console/history?*", (route) => route.fulfill({ status: 500, json: {} }));
	await click(page, "Reload the page", panel(page, "Luna").getByText("The history cannot be shown"));
	await page.unroute("**/console/history?*");
	await click(page, "Try again", panel(page, "Luna").getByText("Not edited since it was added."));
	takeOut(errors, /ERR_FAILED|500/);
});
