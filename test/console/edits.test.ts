// A day's work at the list: animals are marked, renamed and removed in the console, with pointer or keyboard, and
// nobody overwrites what another has changed.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { createKey } from "../../src/keys/issue.ts";
import { test } from "../support/browser.ts";
import { type TestService, testService } from "../support/service.ts";
import { until } from "../support/until.ts";
import {
	addPets,
	assertBothAccessible,
	button,
	namesOn,
	openConsole,
	opened,
	row,
	shows,
	signIn,
	tabTo,
	takeOut,
} from "./console.ts";

const statuses = ["available", "pending", "sold"];
const names = ["Rex", "Luna", "Bella", "Otto", "Nala", "Zoë", "Kiwi"];
const panel = (page: Page, name: string) => page.getByRole("complementary", { name, exact: true });
const pill = (page: Page, text: string) => page.getByRole("button", { name: `Status of ${text}`, exact: true });
const inTable = (page: Page, text: string) => page.locator("tbody").getByRole("button", { name: `Status of ${text}` });
const toast = (page: Page) => page.locator(".toast p");
const focused = (page: Page) => page.evaluate<string>("document.activeElement.innerText");

async function sell(page: Page, text: string): Promise<void> {
	await inTable(page, text).click();
	await page.getByRole("menu").waitFor();
	await page.keyboard.press("s");
}

/** The audit log without times: editor, action, and from which status to which. */
async function audit({ store }: TestService): Promise<string[]> {
	return (await store.edits.list(0n, 100)).map(({ petId, editor, action, fromStatus, toStatus }) =>
		[petId, editor, action, fromStatus, toStatus].join(" "),
	);
}

test("a working day: found, marked as sold, undone, renamed and removed; the audit log has each edit with the key's name", async (context) => {
	const { service, page } = await opened(context, names);
	await page.getByLabel("Find by name").fill("rex");
	await page.keyboard.press("Enter");
	await pill(page, "Rex: available").click();
	await page.getByRole("menuitemradio", { name: "sold" }).click();
	await toast(page).getByText("Rex is sold", { exact: true }).waitFor();
	await pill(page, "Rex: sold").waitFor();
	await button(page, "Back to the list").click();
	await row(page, "Luna").waitFor();
	await button(page, "Undo Ctrl Z").click();
	await toast(page).getByText("Rex is available", { exact: true }).waitFor();
	await inTable(page, "Rex: available").waitFor();
	await row(page, "Luna").click();
	await panel(page, "Luna").getByRole("button", { name: "Status of Luna: pending" }).click();
	await page.getByRole("menu").waitFor();
	await page.keyboard.press("n");
	await panel(page, "Luna").getByText("Status not set by test").waitFor();
	await button(page, "Rename Luna").click();
	await page.keyboard.type("  ");
	await page.keyboard.press("Enter");
	await shows(page, "Enter a name.");
	await page.getByLabel("Name", { exact: true }).fill("Lu\u0007");
	await page.keyboard.press("Enter");
	await shows(page, "A name is one line, without control characters.");
	await page.getByLabel("Name", { exact: true }).fill("L".repeat(256));
	await page.keyboard.press("Enter");
	await shows(page, "A name has at most 255 characters.");
	await page.keyboard.press("Escape");
	await button(page, "Rename Luna").click();
	await row(page, "Bella").click();
	await row(page, "Luna").click();
	await button(page, "Rename Luna").click();
	await page.keyboard.type("Luna 2");
	await page.keyboard.press("Enter");
	await row(page, "Luna 2").waitFor();
	await panel(page, "Luna 2").getByText("Renamed by test").waitFor();
	await page.keyboard.press("Control+z");
	await row(page, "Luna").waitFor();
	await panel(page, "Luna").getByText("old name erased at").last().waitFor();
	await panel(page, "Luna").getByRole("button", { name: "Category of Luna: 2" }).click();
	await page.getByRole("combobox", { name: "Name or number" }).waitFor();
	await page.keyboard.type("Guinea pig");
	await page.getByRole("option", { name: "New category: Guinea pig" }).click();
	await toast(page).getByText("Luna is in Guinea pig", { exact: true }).waitFor();
	await panel(page, "Luna").getByText("Moved from 2 to Guinea pig by test").waitFor();
	await page.locator("tbody td.category", { hasText: "Guinea pig 8" }).waitFor();
	await page.keyboard.press("Control+z");
	await toast(page).getByText("Luna is in category 2", { exact: true }).waitFor();
	await page.keyboard.press("Escape");
	const overview = page.getByRole("complementary", { name: "Overview" });
	await overview.getByText("Luna: Moved from Guinea pig to 2").waitFor();
	const nameOf8 = overview.getByRole("button", { name: "Name of category 8" });
	await nameOf8.click();
	await page.getByLabel("Name", { exact: true }).fill("Cavy");
	await page.keyboard.press("Enter");
	await overview.getByText("Luna: Moved from Cavy to 2").waitFor();
	await overview.getByRole("button", { name: "Name of category 2" }).click();
	await page.getByLabel("Name", { exact: true }).fill("CAVY");
	await button(page, "Keep the name").click();
	await shows(page, "Category 8 has this name.");
	await page.keyboard.press("Escape");
	await nameOf8.click();
	await button(page, "Take the name away").click();
	await overview.getByText("Luna: Moved from 8 to 2").waitFor();
	await overview.getByRole("button", { name: "Luna" }).first().click();
	await button(page, "Remove Luna …").click();
	await page.getByRole("alertdialog", { name: "Remove Luna?" }).waitFor();
	assert.equal(await focused(page), "Keep it");
	await page.keyboard.press("Enter");
	await page.getByRole("alertdialog").waitFor({ state: "detached" });
	await button(page, "Remove Luna …").click();
	await button(page, "Remove Luna").click();
	await toast(page).getByText("Luna is removed", { exact: true }).waitFor();
	assert.equal(await button(page, "Undo Ctrl Z").count(), 0, "a removal has no undo");
	assert.deepEqual(
		await namesOn(page),
		names.filter((name) => name !== "Luna"),
	);
	assert.deepEqual(await audit(service), [
		"1 test set-status available sold",
		"1 test set-status sold available",
		"2 test set-status pending ",
		"2 test rename  ",
		"2 test rename  ",
		"2 test set-category  ",
		"2 test set-category  ",
		"2 test remove  ",
	]);
});

test("the totals follow an edit and an added animal at once, before the figures are read again", async (context) => {
	const { page } = await opened(context, names);
	const soon = { timeout: 4_000 };
	const readAgain = () => page.waitForResponse(/console\/activity$/); // The next one is 5 s later.
	await button(page, "Sold 2").waitFor();
	await readAgain();
	await sell(page, "Rex: available");
	await button(page, "Sold 3").waitFor(soon);
	await readAgain();
	await page.keyboard.press("n");
	await page.getByLabel("Name", { exact: true }).fill("Max");
	await page.getByLabel("Category", { exact: true }).fill("1");
	await page.keyboard.press("Enter");
	await page.getByRole("button", { name: "All 8" }).waitFor(soon);
});

test("a list that was read before an edit does not take it back on the screen, and the next edit builds on it", async (context) => {
	const { service, page } = await opened(context, names);
	await row(page, "Rex").waitFor();
	const list = Promise.withResolvers<void>();
	const edit = Promise.withResolvers<void>();
	await sell(page, "Rex: available");
	await toast(page).getByText("Rex is sold").waitFor();
	// Read after the first edit, shown after the second one has begun.
	const isHeld = page.waitForRequest("**/v1/pets?*");
	await page.route("**/v1/pets?*", async (route) => {
		const response = await route.fetch();
		await list.promise;
		await route.fulfill({ response });
	});
	await page.route("**/console/edits", async (route) => {
		await edit.promise;
		await route.continue();
	});
	await button(page, "Refresh").click();
	await isHeld;
	await inTable(page, "Rex: sold").click();
	await page.keyboard.press("p");
	await inTable(page, "Rex: pending").waitFor();
	const isShown = page.waitForEvent("requestfinished", (request) => request.url().includes("/v1/pets?"));
	list.resolve();
	await isShown;
	await page.evaluate("new Promise((resolve) => setTimeout(resolve, 100))");
	assert.equal(await inTable(page, "Rex: pending").count(), 1);
	edit.resolve();
	await toast(page).getByText("Rex is pending").waitFor();
	assert.equal((await audit(service)).length, 2);
});

test("the keyboard alone is enough to import, mark, undo, rename, select, remove and export", async (context) => {
	const { service, page } = await opened(context, []);
	const press = async (...keys: string[]) => {
		for (const key of keys) await page.keyboard.press(key);
	};
	await shows(page, "Add the first one");
	await press("m");
	await tabTo(page, "Paste rows");
	await press("Enter");
	await page.getByLabel("Rows, with their heading").waitFor();
	await page.keyboard.insertText(
		`name,category,status\n${names.map((name, at) => `${name},1,${statuses[at % 3]}`).join("\n")}`,
	);
	await press("Tab", "Enter");
	await shows(page, "7 animals below the names");
	await tabTo(page, "Continue");
	await press("Enter");
	await shows(page, "7 good");
	await tabTo(page, "Add 7 animals");
	await press("Enter");
	await shows(page, "7 of 7 animals added");
	await tabTo(page, "Show the new animals");
	await press("Enter");
	await row(page, "Rex").waitFor();
	await press("ArrowDown", "ArrowDown", "ArrowUp", "s");
	await page.getByRole("menuitemradio", { name: "available", checked: true }).waitFor();
	await press("ArrowDown", "Enter");
	await toast(page).getByText("Rex is pending").waitFor();
	await inTable(page, "Rex: pending").waitFor();
	await press("Control+z");
	await inTable(page, "Rex: available").waitFor();
	await press("s", "x", "Escape", "Control+Shift+Z", "s", "s");
	await inTable(page, "Rex: sold").waitFor();
	await press("F2");
	await page.getByLabel("Name", { exact: true }).waitFor();
	await page.keyboard.type("Rexi");
	await press("Control+z");
	await press("Enter");
	await panel(page, "Rex").waitFor();
	await press("F2");
	await page.keyboard.type("Rex II");
	await press("Enter");
	await row(page, "Rex II").waitFor();
	await press("j");
	await panel(page, "Luna").waitFor();
	assert.equal(await focused(page), "Luna", "the focus goes with the open animal");
	await press("k", "Escape");
	await panel(page, "Rex II").waitFor({ state: "detached" });
	await until("the focus in the row", async () => (await focused(page)) === "Rex II");
	await press("ArrowDown", "x", "Shift+ArrowDown", "Shift+ArrowDown");
	await shows(page, "3 selected");
	const exported = page.waitForRequest("**/console/exports");
	await button(page, "Export").click();
	await page.getByText("3 animals, as selected").waitFor();
	await button(page, "CSV").click();
	assert.deepEqual((await exported).postDataJSON(), { format: "csv", ids: [2, 3, 4] });
	await press("Escape");
	await press("c");
	await page.getByRole("combobox", { name: "Name or number" }).waitFor();
	await page.keyboard.type("7");
	await press("Enter");
	await toast(page).getByText("3 animals are in category 7").waitFor();
	await press("Control+z");
	await toast(page).getByText("3 animals are in category 1").waitFor();
	await press("s", "a");
	await toast(page).getByText("3 animals are available").waitFor();
	await press("Control+z");
	await toast(page).getByText("2 animals are as they were").waitFor();
	await press("Delete");
	await page.getByText("Luna, Bella, and Otto will be gone").waitFor();
	await press("Tab", "Enter");
	await toast(page).getByText("3 animals are removed").waitFor();
	await until("the focus in the next row", async () => (await focused(page)) === "Nala");
	await press("x");
	await shows(page, "1 selected");
	await press("Escape");
	await page.getByText("1 selected").waitFor({ state: "detached" });
	assert.deepEqual(await namesOn(page), ["Rex II", "Nala", "Zoë", "Kiwi"]);
	const saved = page.waitForEvent("download");
	await tabTo(page, "Export");
	await press("Enter");
	await tabTo(page, "CSV");
	await press("Enter");
	const text = await readFile(await (await saved).path(), "utf8");
	assert.match(text, /^\ufeffid,name,categoryId,status\r?\n1,Rex II,1,sold\r?\n5,Nala,/);
	assert.equal((await audit(service)).length, 3 + 1 + 6 + 2 + 2 + 3);
});

test("the loser of a conflict is told who was first, also of a removal, and sees what is stored", async (context) => {
	const { service, page } = await opened(context, names);
	const first = service.store.edits;
	await row(page, "Kiwi").waitFor();
	// The list is as it was before the other edits.
	await page.route("**/console/activity", () => {});
	await first.apply({ petId: 1n, editor: "front desk", action: "set-status", status: "pending" });
	await first.apply({ petId: 2n, editor: "Jonas", action: "remove" });
	await first.apply({ petId: 3n, editor: "Jonas", action: "rename", name: "Bello" });
	await sell(page, "Rex: available");
	await toast(page)
		.getByText("front desk was first and has marked Rex as pending. Your change was not made.", { exact: true })
		.waitFor();
	await inTable(page, "Rex: pending").waitFor();
	await button(page, "Close").click();
	await toast(page).waitFor({ state: "detached" });
	assert.ok(!(await namesOn(page)).includes("Luna"), "the list was read again");
	await first.apply({ petId: 4n, editor: "Jonas", action: "rename", name: "Ottilie" });
	await first.apply({ petId: 5n, editor: "front desk", action: "remove" });
	await page.getByLabel("Select all on this page").check();
	await page.keyboard.press("s");
	await page.getByRole("menu").waitFor();
	await page.keyboard.press("s");
	const told = "4 animals are sold. Jonas was first and has renamed Otto to Ottilie. Your change was not made.";
	await toast(page).getByText(`${told} Others have also changed 1 animal.`, { exact: true }).waitFor();
	await row(page, "Ottilie").waitFor();
	assert.deepEqual(await namesOn(page), ["Rex", "Bello", "Ottilie", "Zoë", "Kiwi"]);
	await page.keyboard.press("Control+z");
	await toast(page).getByText("2 animals are as they were").waitFor();
	await inTable(page, "Rex: pending").waitFor();
	await service.store.categories.apply([{ id: 9n, name: "Dog" }]);
	await page.reload();
	await row(page, "Kiwi").waitFor();
	await first.apply({ petId: 6n, editor: "Jonas", action: "set-category", categoryId: 9n });
	await page.locator("tbody").getByRole("button", { name: "Category of Zoë: 6" }).click();
	await page.getByRole("combobox", { name: "Name or number" }).waitFor();
	await page.keyboard.type("4");
	await page.keyboard.press("Enter");
	await toast(page)
		.getByText("Jonas was first and has moved Zoë to Dog. Your change was not made.", { exact: true })
		.waitFor();
});

test("an edit that the server refuses or never answers goes back, and what it did before is said", async (context) => {
	const { page, errors } = await opened(context, names);
	await row(page, "Rex").waitFor();
	const refusal = { code: "storage_unavailable", message: "the store is away", status: 503 };
	let replyOf = (): object | undefined => refusal;
	await page.route("**/console/edits", async (route) => {
		const json = replyOf();
		if (json) await route.fulfill({ status: json === refusal ? 503 : 200, json });
		else await route.abort();
	});
	await sell(page, "Rex: available");
	const look = "may not have been changed: look, and try again.";
	await toast(page).getByText(`The store is away. Rex ${look}`, { exact: true }).waitFor();
	await inTable(page, "Rex: available").waitFor();
	await page.getByLabel("Find by name").fill("rex");
	await page.keyboard.press("Enter");
	await shows(page, "1 animal with “rex” in the name");
	await sell(page, "Rex: available");
	await toast(page).getByText(`The store is away. Rex ${look}`, { exact: true }).waitFor();
	await inTable(page, "Rex: available").waitFor();
	await button(page, "Back to the list").click();
	await row(page, "Luna").waitFor();
	replyOf = () => undefined;
	await sell(page, "Luna: pending");
	await toast(page).getByText(`The server does not answer. Luna ${look}`, { exact: true }).waitFor();
	await inTable(page, "Luna: pending").waitFor();
	const rex = { id: 1, name: "Rex", categoryId: 1, status: "sold" };
	replyOf = () => ({ results: [{ outcome: "edited", pet: rex }] });
	await page.getByLabel("Select all on this page").check();
	await page.keyboard.press("s");
	await page.getByRole("menu").waitFor();
	await page.keyboard.press("s");
	await toast(page).getByText(`Rex is sold. 6 animals ${look}`, { exact: true }).waitFor();
	replyOf = () => ({ results: [{ outcome: "absent" }] });
	await page.keyboard.press("Escape");
	await sell(page, "Kiwi: available");
	await toast(page).getByText("Kiwi is not there any more.").waitFor();
	takeOut(errors, /503|ERR_FAILED/);
});

test("the line with the undo leaves after 8 seconds, but not under the pointer or the focus", async (context) => {
	const { page } = await opened(context, names);
	await row(page, "Rex").waitFor();
	await page.clock.install();
	await sell(page, "Rex: available");
	const undo = button(page, "Undo Ctrl Z");
	await undo.hover();
	await page.clock.fastForward(60_000);
	await undo.focus();
	await page.mouse.move(0, 0);
	await page.clock.fastForward(60_000);
	for (const width of [1440, 390]) {
		await page.setViewportSize({ width, height: 844 });
		await until("the line above the paging", async () => {
			const line = await page.locator(".toast").boundingBox();
			const paging = await page.locator(".paging").boundingBox();
			return line && paging && line.y + line.height <= paging.y;
		});
	}
	await page.setViewportSize({ width: 1440, height: 844 });
	await row(page, "Kiwi").getByRole("link").focus();
	await page.clock.fastForward(7_900);
	await undo.waitFor();
	await page.clock.fastForward(200);
	await undo.waitFor({ state: "detached" });
	await page.keyboard.press("Control+z");
	await inTable(page, "Rex: sold").waitFor();
});

test("a key without pets:edit sees no way to edit, and its keys do nothing", async (context) => {
	const service = await testService(context);
	await addPets(service, names);
	const { key } = await createKey(service.issuer, {
		name: "shop",
		scopes: ["pets:read", "pets:write", "metrics:read"],
	});
	const { page, errors } = await openConsole(context, service.url);
	await signIn(page, key);
	await row(page, "Rex").click();
	await panel(page, "Rex").getByText("For developers").waitFor();
	for (const pressed of ["x", "s", "c", "Delete", "F2"]) await page.keyboard.press(pressed);
	await page.keyboard.press("Control+k");
	await page.getByRole("combobox", { name: "Command, name or id" }).waitFor();
	const commands = await page.getByRole("option").allTextContents();
	assert.ok(!commands.some((text) => /Mark|Change|Remove|Rename|[Ss]elect|Undo/.test(text)), String(commands));
	await page.keyboard.press("Escape");
	assert.equal(await page.getByRole("button", { name: /(Status|Category|Name) of|Rename|Remove|Select/ }).count(), 0);
	assert.equal(await page.getByRole("checkbox").count(), 0);
	assert.equal(await page.getByText("History").count(), 0);
	assert.deepEqual(errors, []);
});

test("the panel moves no row, so that a double-click never opens the neighbor; a phone has next and previous", async (context) => {
	const { page } = await opened(context, [...names, "Sir Wilhelm von und zu Hohenstein-Lichtenberg der Dritte"]);
	await row(page, "Rex").waitFor();
	const places = async () =>
		Promise.all((await page.locator("tbody tr").all()).map(async (each) => (await each.boundingBox())?.y));
	for (const width of [1440, 1280, 1279, 1024, 901]) {
		await page.setViewportSize({ width, height: 800 });
		const before = await places();
		await row(page, "Zoë").dblclick();
		await panel(page, "Zoë").waitFor();
		assert.deepEqual(await places(), before, `at ${width} pixels`);
		await page.keyboard.press("n");
		await page.getByLabel("Name", { exact: true }).waitFor();
		assert.deepEqual(await places(), before, `the form at ${width} pixels`);
		await page.keyboard.press("Escape");
		await page.keyboard.press("Escape");
		await page.keyboard.press("x");
		await shows(page, "1 selected");
		assert.deepEqual(await places(), before, `the selection at ${width} pixels`);
		await page.keyboard.press("Escape");
	}
	await page.setViewportSize({ width: 390, height: 800 });
	await row(page, "Luna").click();
	await button(page, "Next animal").click();
	await panel(page, "Bella").waitFor();
	await shows(page, "3 of 8 on this page");
	await button(page, "Previous animal").click();
	await button(page, "Previous animal").click();
	await panel(page, "Rex").waitFor();
	assert.equal(await button(page, "Previous animal").getAttribute("aria-disabled"), "true");
	await page.locator(".panel button.pill").click();
	await page.getByRole("menu").waitFor();
	const sheet = await page.locator(".status-menu").boundingBox();
	assert.ok(sheet && sheet.width === 390 && sheet.y + sheet.height === 800, JSON.stringify(sheet));
	// A click beside the menu only closes it.
	await page.mouse.click(60, 400);
	await page.getByRole("menu").waitFor({ state: "detached" });
	await button(page, "‹ Animals").click();
	await button(page, "Select").click();
	await shows(page, "0 selected");
	assert.equal(await button(page, "Set status").count(), 0);
	await page.getByLabel("Select Luna").check();
	await shows(page, "1 selected");
	for (const width of [390, 720]) {
		await page.setViewportSize({ width, height: 800 });
		const tools = ["Set status", "Category", "Export", "Remove …"].map((name) =>
			page.getByRole("toolbar").getByRole("button", { name }),
		);
		const tops = await Promise.all(tools.map(async (tool) => (await tool.boundingBox())?.y));
		assert.equal(new Set(tops).size, 1, `one line of tools at ${width} pixels: ${tops}`);
	}
});

test("where an animal covers the list, Back closes it, and leads no further than to the list", async (context) => {
	const { service, page } = await opened(context, names, "#/activity");
	await page.setViewportSize({ width: 390, height: 844 });
	await page.getByRole("link", { name: "Animals", exact: true }).click();
	const isClosed = () => page.locator(".panel").waitFor({ state: "detached" });
	const entries = () => page.evaluate<number>("history.length");
	await row(page, "Luna").click();
	await panel(page, "Luna").waitFor();
	await button(page, "Next animal").click();
	await panel(page, "Bella").waitFor();
	const before = await entries();
	await page.goBack();
	await isClosed();
	assert.equal(await focused(page), "Bella");
	assert.match(page.url(), /#\/animals$/);
	await row(page, "Luna").click();
	await button(page, "‹ Animals").click();
	await isClosed();
	assert.equal(await focused(page), "Luna");
	assert.equal(await entries(), before, "no animal leaves an entry behind");
	await page.goBack();
	await page.getByRole("heading", { name: "Activity" }).waitFor();
	await page.goto(`${service.url}/console#/animals?id=2`);
	await button(page, "‹ Animals").click();
	await row(page, "Luna").waitFor();
	assert.match(page.url(), /#\/animals$/, "also after a link");
});

test("in the panel, the undo is in reach on a phone too, and a long history covers nothing", async (context) => {
	const { page } = await opened(context, names);
	await page.setViewportSize({ width: 390, height: 844 });
	await row(page, "Rex").click();
	const edits = panel(page, "Rex").locator(".history li");
	for (let count = 0; count < 10; count += 2) {
		await page.locator(".panel button.pill").click();
		await page.getByRole("menuitemradio", { name: "sold" }).click();
		await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
		await until("both edits", async () => (await edits.count()) === count + 2);
	}
	await page.getByText("For developers").click();
	for (const [width, height] of [
		[1280, 720],
		[720, 450],
		[390, 844],
	] as const) {
		await page.setViewportSize({ width, height });
		await page.evaluate("document.querySelector('.panel').scrollTo(0, 0)");
		const ends = await page.evaluate<number[]>(`[...document.querySelectorAll(".panel > *")].flatMap((part) => {
			const { top } = part.getBoundingClientRect();
			return [top, top + part.scrollHeight - 4];
		})`);
		assert.deepEqual(
			ends,
			ends.toSorted((one, other) => one - other),
			`at ${width} pixels`,
		);
		await page.locator(".panel .removal").scrollIntoViewIfNeeded();
		const { y = -1 } = (await button(page, "Next animal").boundingBox()) ?? {};
		assert.ok(y >= 0, `the way to the next animal is at ${y} at ${width} pixels`);
	}
});

for (const width of [1440, 1280, 768, 390, 320]) {
	test(`axe finds nothing in what edits show, light and dark, at ${width} pixels`, async (context) => {
		const { page } = await opened(context, [...names, "W".repeat(255)]);
		await page.setViewportSize({ width, height: 844 });
		await page.locator("tbody tr").nth(7).locator("a").click();
		await page.locator(".panel").getByText("Not edited since it was added.").waitFor();
		await page.locator(".panel button.pill").click();
		await page.getByRole("menu").waitFor();
		await assertBothAccessible(page, "the menu");
		await page.keyboard.press("Escape");
		await page.locator(".panel [data-edits=category]").click();
		await page.getByRole("combobox", { name: "Name or number" }).fill("Guinea pig");
		await page.getByRole("option", { name: "New category: Guinea pig" }).waitFor();
		await assertBothAccessible(page, "the categories");
		await page.keyboard.press("Enter");
		await page.locator(".panel").getByText("Moved from 1 to Guinea pig by test").waitFor();
		await page.locator(".panel button.pill").click();
		await page.getByRole("menu").waitFor();
		await page.keyboard.press("s");
		await toast(page).waitFor();
		await page.locator(".panel").getByText("Marked as sold by test").waitFor();
		await assertBothAccessible(page, "the undo and the history");
		await page.keyboard.press("Control+k");
		await page.getByRole("option", { name: /^Undo: .* Ctrl Z$/, selected: true }).waitFor();
		await assertBothAccessible(page, "the palette with the undo");
		await page.keyboard.press("Escape");
		await page.locator(".panel .rename").click();
		await page.getByLabel("Name", { exact: true }).fill("");
		await page.keyboard.press("Enter");
		await shows(page, "Enter a name.");
		await assertBothAccessible(page, "a name that is refused");
		await page.keyboard.press("Escape");
		await page.getByRole("button", { name: /^Remove W/ }).click();
		await page.getByRole("alertdialog").waitFor();
		await assertBothAccessible(page, "the question");
		await page.keyboard.press("Escape");
		await page.getByRole("alertdialog").waitFor({ state: "detached" });
		await page.keyboard.press("Escape");
		if (width < 760) await button(page, "Select").click();
		await page.getByLabel("Select all on this page").check();
		await shows(page, "8 selected");
		await assertBothAccessible(page, "the selection");
		if (width < 1280) return;
		await page.keyboard.press("Escape");
		await page.getByRole("button", { name: "Name of category 8" }).click();
		await page.getByLabel("Name", { exact: true }).waitFor();
		await assertBothAccessible(page, "the name of a category");
	});
}

test("a part of the console that cannot be loaded says so, and the page can be loaded again", async (context) => {
	const { page, errors } = await opened(context, names);
	await row(page, "Rex").waitFor();
	let isAway = true;
	await page.route(/assets\/(pet-panel|send-edits)/, (route) => (isAway ? route.abort() : route.continue()));
	await sell(page, "Rex: available");
	const told = "Nothing was changed, because a part of the console could not be loaded. Reload the page.";
	await toast(page).getByText(told).waitFor();
	await inTable(page, "Rex: available").waitFor();
	await row(page, "Luna").click();
	await shows(page, "This part could not be loaded");
	isAway = false;
	await page.route("**/console/history?*", (route) => route.fulfill({ status: 500, json: {} }));
	await button(page, "Reload the page").click();
	await panel(page, "Luna").getByText("The history cannot be shown").waitFor();
	await page.unroute("**/console/history?*");
	await button(page, "Try again").click();
	await panel(page, "Luna").getByText("Not edited since it was added.").waitFor();
	takeOut(errors, /ERR_FAILED|500/);
});
