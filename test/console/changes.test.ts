// The Changes view: who changed which animal when, day by day, with the undo of what still holds.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { readPet } from "../support/store-reads.ts";
import { assertAccessible, assertBothAccessible, assertFits, resize } from "./accessible.ts";
import { names, openAs, opened, takeOut } from "./console.ts";
import { button, message, panel, row } from "./page.ts";
import { click, command, follow, hit, reload, visit } from "./steps.ts";

/** The lines of the view without their times. */
const lines = (page: Page) => page.locator(".changes li p").allTextContents();

test("the changes of two people are listed by day, filtered by person, and undone", async (context) => {
	const { service, page } = await opened(context, names);
	const { clock, store } = service;
	const change = (petId: bigint, edit: object, editor = "Jonas") =>
		store.edits.apply({ petId, editor, ...edit } as Parameters<typeof store.edits.apply>[0]);
	await store.categories.apply([{ id: 2n, name: "Guinea pig" }]);
	await reload(page, row(page, "Otto"));
	clock.nowMs = Date.now() - 2 * 86_400_000;
	await change(1n, { action: "set-status", status: "pending" });
	clock.nowMs = Date.now();
	await change(1n, { action: "set-status", status: "sold" });
	await change(5n, { action: "set-category", categoryId: 2n });
	await change(4n, { action: "remove" });
	await change(2n, { action: "rename", name: "Lulu" }, "Ann & Bo");
	await page.getByRole("link", { name: "Changes" }).click();
	const told = [
		"Lulu: Renamed by Ann & Bo",
		"Otto: Removed by Jonas",
		"Nala: Moved from 5 to Guinea pig by Jonas",
		"Rex: Marked as sold by Jonas",
		"Rex: Marked as pending by Jonas",
	];
	await page.getByText("Rex: Marked as pending").waitFor();
	assert.deepEqual(await lines(page), told);
	assert.equal(await page.locator(".changes h2").count(), 2, "two days");
	assert.equal(await page.getByRole("button", { name: /^Undo/ }).count(), 2, "of what still holds");
	await assertBothAccessible(page, "changes");
	for (const width of [1920, 768, 320]) {
		await resize(page, width);
		await assertFits(page, `changes at ${width}`);
	}
	await assertAccessible(page, "changes at 320");
	await resize(page, 1280);
	await click(page, "Undo: Rex pending", message(page, "Rex is pending"));
	await page.getByText("Rex: Marked as pending by test").waitFor();
	assert.equal((await readPet(store, 1n))?.status, "pending");
	assert.deepEqual((await lines(page)).slice(1), told);
	await hit(page, "Control+z", page.getByText("Rex: Marked as sold by test"));
	await page.getByRole("link", { name: "Ann & Bo" }).first().click();
	await page.getByRole("link", { name: "Jonas" }).first().waitFor({ state: "detached" });
	await page.getByRole("link", { name: "Lulu" }).waitFor();
	assert.deepEqual(await lines(page), [told[0]]);
	await reload(page, page.getByRole("link", { name: "Lulu" }));
	await click(page, "By Ann & Bo: show the changes of everybody", page.getByText("Rex: Marked as sold by test"));
	await visit(page, "#/changes?editor=Nobody", "Nobody has changed nothing.");
	await page.goBack();
	await follow(page, "Lulu", panel(page, "Lulu"));
});

test("older changes are a page away; another's change appears by itself; a reader undoes nothing", async (context) => {
	const { service, page, errors } = await openAs(context, ["pets:read"], { names });
	const { edits } = service.store;
	await command(page, "changes");
	await hit(page, "Enter", "Nothing was changed yet.");
	for (let count = 0; count < 51; count++)
		await edits.apply({ petId: 1n, editor: "Ann", action: "rename", name: `Rex ${count}` });
	await edits.apply({ petId: 2n, editor: "Ann", action: "set-status", status: "available" });
	await page.getByText("Luna: Marked as available by Ann").waitFor();
	assert.equal((await lines(page)).length, 50);
	assert.equal(await page.getByRole("button", { name: /^Undo/ }).count(), 0);
	await click(page, "Older", button(page, "Newest"));
	await page.locator(".changes li").nth(1).waitFor();
	assert.equal((await lines(page)).length, 2);
	assert.equal(await button(page, "Older").count(), 0);
	await click(page, "Newest", page.getByText("Luna: Marked as available by Ann"));
	await page.route("**/console/changes?*", (route) => route.fulfill({ status: 500, json: {} }));
	await edits.apply({ petId: 1n, editor: "Ann", action: "remove" });
	await page.locator(".banner").waitFor();
	assert.equal((await lines(page)).length, 50, "the changes stay readable");
	await page.unroute("**/console/changes?*");
	await click(page, "Try now", page.getByText("Rex 50: Removed by Ann"));
	await visit(page, "#/changes?before=1", "No older changes.");
	let asked = 0;
	const none = () => ({ edits: [], next: 1_000_000 - ++asked });
	await page.route("**/console/changes?*", (route) => route.fulfill({ json: none() }));
	await visit(page, "#/changes?editor=Bo", "No change was found yet. Older ones may follow.");
	assert.equal(asked, 20);
	const refusal = { code: "insufficient_scope", message: "it lacks pets:read", status: 403 };
	await page.route("**/console/changes?*", (route) => route.fulfill({ status: 403, json: refusal }));
	await reload(page, "The changes cannot be shown");
	takeOut(errors, /500|403/);
});
