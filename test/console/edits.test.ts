// A day's work in the list: animals are marked, renamed and removed in the console, with the pointer or the keyboard.
// Nobody overwrites another person's change.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { hold, settled, test } from "../support/browser.ts";
import type { TestService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { elsewhere, names, opened, takeOut } from "./console.ts";
import { button, focused, inTable, message, namesOn, panel, row, toast } from "./page.ts";
import { click, enter, fillIn, hit, press, reload, sell, shows } from "./steps.ts";

/** The audit log without times: animal, editor, action, old status and new status. */
async function audit({ store }: TestService): Promise<string[]> {
	return (await store.edits.list(0n, 100)).map(({ petId, editor, action, fromStatus, toStatus }) =>
		[petId, editor, action, fromStatus, toStatus].join(" "),
	);
}

async function sellAll(page: Page): Promise<void> {
	await page.getByLabel("Select all on this page").check();
	await hit(page, "s", page.getByRole("menu"));
	await press(page, "s");
}

test("a working day: sold, undone, renamed and removed; the audit log has each edit", async (context) => {
	const { service, page } = await opened(context, names);
	await sell(page, "Rex: available", "Rex is sold");
	await click(page, "Undo Ctrl Z", message(page, "Rex is available"));
	await inTable(page, "Rex: available").waitFor();
	await row(page, "Luna").click();
	await panel(page, "Luna").getByRole("button", { name: "Status of Luna: pending" }).click();
	await page.getByRole("menu").waitFor();
	await hit(page, "n", panel(page, "Luna").getByText("Status not set by test"));
	await button(page, "Rename Luna").click();
	await enter(page, "  ");
	await shows(page, "Enter a name.");
	await enter(page, "Lu\u0007", "Name", "A name is one line, without control characters.");
	await enter(page, "L".repeat(256), "Name");
	await shows(page, "A name has at most 255 characters.");
	await page.keyboard.press("Escape");
	await button(page, "Rename Luna").click();
	await page.keyboard.type("Lu");
	await click(page, row(page, "Bella"), message(page, "Renamed to Lu"));
	await button(page, "Undo Ctrl Z").click();
	await row(page, "Luna").click();
	await button(page, "Rename Luna").click();
	await page.keyboard.type("Lu");
	await button(page, "Old name Esc").click();
	await button(page, "Rename Luna").click();
	await enter(page, "Luna 2");
	await row(page, "Luna 2").waitFor();
	await panel(page, "Luna 2").getByText("Renamed by test").first().waitFor();
	// Only then, there is an edit to undo.
	await message(page, "Renamed to Luna 2").waitFor();
	await hit(page, "Control+z", row(page, "Luna"));
	await panel(page, "Luna").getByRole("button", { name: "Category of Luna: 2" }).click();
	await page.getByRole("combobox", { name: "Name or number" }).waitFor();
	await page.keyboard.type("Guinea pig");
	await page.getByRole("option", { name: "New category: Guinea pig" }).click();
	await message(page, "Luna is in Guinea pig").waitFor();
	await panel(page, "Luna").getByText("Moved from 2 to Guinea pig by test").waitFor();
	await page.locator("tbody td.category", { hasText: "Guinea pig 8" }).waitFor();
	await hit(page, "Control+z", message(page, "Luna is in category 2"));
	await page.keyboard.press("Escape");
	const overview = page.getByRole("complementary", { name: "Overview" });
	await overview.getByText("Luna: Moved from Guinea pig to 2").waitFor();
	const nameOf8 = overview.getByRole("button", { name: "Name of category 8" });
	await nameOf8.click();
	await enter(page, "Cavy", "Name", overview.getByText("Luna: Moved from Cavy to 2"));
	await overview.getByRole("button", { name: "Name of category 2" }).click();
	await page.getByLabel("Name", { exact: true }).fill("CAVY");
	await click(page, "Save the name", "Category 8 already has this name.");
	await page.getByLabel("Name", { exact: true }).fill("Pig");
	await click(page, "Save the name", overview.getByText("Luna: Moved from Cavy to Pig"));
	await nameOf8.click();
	await click(page, "Remove the name", overview.getByText("Luna: Moved from 8 to Pig"));
	await overview.getByRole("link", { name: "Luna" }).first().click();
	await click(page, "Remove Luna …", page.getByRole("alertdialog", { name: "Remove Luna?" }));
	assert.equal(await focused(page), "Keep it");
	await page.keyboard.press("Enter");
	await page.getByRole("alertdialog").waitFor({ state: "detached" });
	await button(page, "Remove Luna …").click();
	await click(page, "Remove Luna", message(page, "Luna is removed"));
	assert.equal(await button(page, "Undo Ctrl Z").count(), 0, "a removal has no undo");
	for (const at of [0, 1]) {
		const place = page.locator("tbody tr").nth(at);
		await place.hover();
		await (at === 0 ? place.locator(".pick input").click() : place.locator("a").click({ modifiers: ["Shift"] }));
	}
	await button(page, "Remove …").click();
	await click(page, "Remove 2 animals", message(page, "2 animals are removed"));
	assert.deepEqual(await namesOn(page), ["Otto", "Nala", "Zoë", "Kiwi"]);
	assert.deepEqual(await audit(service), [
		"1 test set-status available sold",
		"1 test set-status sold available",
		"2 test set-status pending ",
		...Array(4).fill("2 test rename  "),
		"2 test set-category  ",
		"2 test set-category  ",
		"2 test remove  ",
		"1 test remove available ",
		"3 test remove sold ",
	]);
});

test("the totals follow an edit and an added animal at once, before the figures are read again", async (context) => {
	const { page } = await opened(context, names);
	// The timer that reads the figures every 5 s never fires.
	await page.addInitScript(`{
		const start = setTimeout;
		globalThis.setTimeout = (run, ms, ...values) => (ms === 5_000 ? 0 : start(run, ms, ...values));
	}`);
	await page.reload();
	await button(page, "Sold 2").waitFor();
	await sell(page, "Rex: available");
	await button(page, "Sold 3").waitFor();
	await page.keyboard.press("n");
	await fillIn(page, "Max", "1");
	await hit(page, "Enter", page.getByRole("button", { name: "All 8" }));
});

test("a list that was read before an edit does not undo it on the screen; the next builds on it", async (context) => {
	const { service, page } = await opened(context, names);
	await sell(page, "Rex: available", "Rex is sold");
	await settled(page);
	// The list is read after the first edit, but shown only after the second edit has begun.
	const list = page.waitForRequest("**/v1/pets?*");
	const releaseList = await hold(page, "**/v1/pets?*", { isStored: true });
	const releaseEdit = await hold(page, "**/console/edits");
	await button(page, "Refresh").click();
	const heldList = await list;
	await inTable(page, "Rex: sold").click();
	await hit(page, "p", inTable(page, "Rex: pending"));
	const isShown = page.waitForEvent("requestfinished", (request) => request === heldList);
	releaseList();
	await isShown;
	await settled(page);
	assert.equal(await inTable(page, "Rex: pending").count(), 1);
	releaseEdit();
	await toast(page).getByText("Rex is pending").waitFor();
	assert.equal((await audit(service)).length, 2);
});

test("the keyboard alone is enough to mark, undo, rename, select and remove", async (context) => {
	const { service, page } = await opened(context, names);
	await press(page, "ArrowDown", "ArrowDown", "ArrowUp", "s");
	await page.getByRole("menuitemradio", { name: "available", checked: true }).waitFor();
	await hit(page, "ArrowDown Enter", toast(page).getByText("Rex is pending"));
	await inTable(page, "Rex: pending").waitFor();
	await hit(page, "Control+z", inTable(page, "Rex: available"));
	await hit(page, "s x Escape Control+Shift+Z s s", inTable(page, "Rex: sold"));
	await hit(page, "F2", page.getByLabel("Name", { exact: true }));
	await page.keyboard.type("Rexi");
	await hit(page, "Control+z Enter", panel(page, "Rex"));
	await press(page, "F2");
	await enter(page, "Rex II");
	await row(page, "Rex II").waitFor();
	await hit(page, "j", panel(page, "Luna"));
	assert.equal(await focused(page), "Luna", "the focus follows the open animal");
	await press(page, "k", "Escape");
	await panel(page, "Rex II").waitFor({ state: "detached" });
	await until("the focus in the row", async () => (await focused(page)) === "Rex II");
	await hit(page, "ArrowDown x Shift+ArrowDown Shift+ArrowDown", "3 selected");
	const exported = page.waitForRequest("**/console/exports");
	await click(page, "Export", page.getByText("3 animals, as selected"));
	await button(page, "CSV").click();
	assert.deepEqual((await exported).postDataJSON(), { format: "csv", ids: [2, 3, 4] });
	await hit(page, "Escape c", page.getByRole("combobox", { name: "Name or number" }));
	// The animals have several categories: none is chosen before a text is entered.
	await press(page, "Enter");
	await enter(page, "7");
	await toast(page).getByText("3 animals are in category 7").waitFor();
	await hit(page, "Control+z", toast(page).getByText("3 animals are as they were"));
	await settled(page);
	await hit(page, "s a", toast(page).getByText("3 animals are available"));
	await hit(page, "Control+z", toast(page).getByText("2 animals are as they were"));
	await hit(page, "Delete", page.getByText("Luna, Bella, and Otto will be gone"));
	await hit(page, "Tab Enter", toast(page).getByText("3 animals are removed"));
	await until("the focus in the next row", async () => (await focused(page)) === "Nala");
	await row(page, "Kiwi").getByRole("link").focus();
	await hit(page, "Delete", page.getByRole("alertdialog", { name: "Remove Kiwi?" }));
	await press(page, "Tab", "Enter");
	await until("the focus in the row before", async () => (await focused(page)) === "Zoë");
	assert.deepEqual(await namesOn(page), ["Rex II", "Nala", "Zoë"]);
	await toast(page).getByText("Kiwi is removed").waitFor();
	assert.equal((await audit(service)).length, 3 + 1 + 6 + 2 + 2 + 3 + 1);
});

test("the loser of a conflict learns who was first, even in a removal, and sees what is stored", async (context) => {
	const { service, page } = await opened(context, names);
	const first = service.store.edits;
	// The list does not learn about the other edits.
	await settled(page);
	await hold(page, "**/console/activity");
	await elsewhere(page, async () => {
		await first.apply({ petId: 1n, editor: "front desk", action: "set-status", status: "pending" });
		await first.apply({ petId: 2n, editor: "Jonas", action: "remove" });
		await first.apply({ petId: 3n, editor: "Jonas", action: "rename", name: "Bello" });
	});
	await sell(page, "Rex: available");
	const marked = "front desk was first and has marked Rex as pending. Your change was not made.";
	await message(page, marked).waitFor();
	await inTable(page, "Rex: pending").waitFor();
	await button(page, "Close").click();
	await toast(page).waitFor({ state: "detached" });
	// The list is read again, which may take longer than all of this.
	await row(page, "Luna").waitFor({ state: "detached" });
	await elsewhere(page, async () => {
		await first.apply({ petId: 4n, editor: "Jonas", action: "rename", name: "Ottilie" });
		await first.apply({ petId: 5n, editor: "front desk", action: "remove" });
	});
	await sellAll(page);
	const told = "4 animals are sold. Jonas was first and has renamed Otto to Ottilie. Your change was not made.";
	await message(page, `${told} Others have also changed 1 animal.`).waitFor();
	await row(page, "Ottilie").waitFor();
	assert.deepEqual(await namesOn(page), ["Rex", "Bello", "Ottilie", "Zoë", "Kiwi"]);
	await hit(page, "Control+z", toast(page).getByText("2 animals are as they were"));
	await inTable(page, "Rex: pending").waitFor();
	await elsewhere(page, () => service.store.categories.apply([{ id: 9n, name: "Dog" }]));
	await reload(page, row(page, "Kiwi"));
	await elsewhere(page, () => first.apply({ petId: 6n, editor: "Jonas", action: "set-category", categoryId: 9n }));
	await page.locator("tbody").getByRole("button", { name: "Category of Zoë: 6" }).click();
	await page.getByRole("combobox", { name: "Name or number" }).waitFor();
	await enter(page, "4");
	const moved = "Jonas was first and has moved Zoë to Dog. Your change was not made.";
	await message(page, moved).waitFor();
	await row(page, "Kiwi").click();
	await button(page, "Rename Kiwi").click();
	await page.getByLabel("Name", { exact: true }).fill("Kea");
	await elsewhere(page, () => first.apply({ petId: 7n, editor: "Jonas", action: "rename", name: "Kaka" }));
	// A click by the pointer would keep the name.
	await page.locator(".list").getByRole("button", { name: "Refresh" }).dispatchEvent("click");
	await row(page, "Kaka").waitFor();
	await page.getByLabel("Name", { exact: true }).press("Enter");
	const renamed = "Jonas was first and has renamed Kiwi to Kaka. Your change was not made.";
	await message(page, renamed).waitFor();
	const release = await hold(page, "**/console/edits");
	await elsewhere(page, () => first.apply({ petId: 1n, editor: "Jonas", action: "rename", name: "Max" }));
	for (const text of ["Rex: pending", "Kaka: available"]) await sell(page, text);
	release();
	const both = ["Jonas was first and has renamed Rex to Max. Your change was not made.", "Kaka is sold"];
	for (const text of both) await message(page, text).waitFor();
});

test("an edit that the server refuses or never answers goes back, and what it did before is said", async (context) => {
	const { page, errors } = await opened(context, names);
	const refusal = { code: "storage_unavailable", message: "the store is away", status: 503 };
	let replyOf = (): object | undefined => refusal;
	await page.route("**/console/edits", async (route) => {
		const json = replyOf();
		if (json) await route.fulfill({ status: json === refusal ? 503 : 200, json });
		else await route.abort();
	});
	const look = "may not have been changed: check, and try again.";
	const isRefused = async (text: string, told: string) => {
		await sell(page, text);
		await message(page, `${told} ${look}`).waitFor();
		await inTable(page, text).waitFor();
	};
	await isRefused("Rex: available", "The store is away. Rex");
	await enter(page, "rex", "Find by name", "1 animal with “rex” in the name");
	await isRefused("Rex: available", "The store is away. Rex");
	await click(page, "Back to the list", row(page, "Luna"));
	replyOf = () => undefined;
	await isRefused("Luna: pending", "The server does not answer. Luna");
	const rex = { id: 1, name: "Rex", categoryId: 1, status: "sold" };
	replyOf = () => ({ results: [{ outcome: "edited", pet: rex }] });
	await sellAll(page);
	await message(page, `Rex is sold. 6 animals ${look}`).waitFor();
	replyOf = () => ({ results: [{ outcome: "absent" }] });
	await page.keyboard.press("Escape");
	await sell(page, "Kiwi: available", "Kiwi no longer exists.");
	takeOut(errors, /503|ERR_FAILED/);
});
