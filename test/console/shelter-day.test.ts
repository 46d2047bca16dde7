// A shelter's day in the console, with 100,000 animals: by mouse, and again by keyboard alone.

import assert from "node:assert/strict";
import { openAsBlob } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Download, FileChooser, Page } from "playwright-core";
import type { NewPet } from "../../src/contract/pet.ts";
import { readWorkbook } from "../../src/files/workbook.ts";
import { test } from "../support/browser.ts";
import { saveAs } from "../support/libre-office.ts";
import { type TestService, temporaryFolder, testService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { workbook } from "../support/workbook.ts";
import { button, namesOn, openConsole, row, shows, signIn, tabTo } from "./console.ts";

/** The proof `spreadsheets` has LibreOffice read the export, and adds what it saves. */
const office = process.env["OFFICE"];
const batchMax = 1000;
const animals = 100_000;

const ferrets = Array.from({ length: 5 }, (_, at) => `Filou ${9 - at}`);
/** The shelter's own list, as its staff keep it: a title, words as categories, and a blank status. */
const list = [
	["Our animals, November"],
	["Rufname", "Tierart", "Status"],
	["Rex", "Dog", "available"],
	["Mia", "Cat", "available"],
	...ferrets.map((name) => [name, "Ferret"]),
];
const listed = list.length - 2;

/** A store with all animals but those of the list; no category has a name. */
async function shelter(context: TestContext): Promise<TestService> {
	const service = await testService(context, { mixes: false });
	const petAt = (at: number): NewPet => ({
		name: `Animal ${at}`,
		categoryId: BigInt(1 + (at % 2)),
		status: "available",
	});
	for (let from = 0; from < animals - listed; from += batchMax) {
		const rows = Array.from({ length: Math.min(batchMax, animals - listed - from) }, (_, index) => ({
			pet: petAt(from + index),
			idempotencyKey: { caller: "seed", key: String(from + index) },
		}));
		await service.store.createPets(rows);
	}
	return service;
}

/** The actions of a shelter's day, by mouse or by keyboard. */
interface Hand {
	find(text: string): Promise<void>;
	sell(name: string): Promise<void>;
	move(name: string, category: string): Promise<void>;
	undo(): Promise<void>;
	leaveSearch(): Promise<void>;
	showOnly(category: string): Promise<void>;
	sortByName(): Promise<void>;
	/** Removes the first two of the list. */
	removeTwo(): Promise<void>;
	exportWorkbook(): Promise<void>;
	addMany(): Promise<void>;
	chooseFile(file: Parameters<FileChooser["setFiles"]>[0]): Promise<void>;
	/** The button that leads on in Add many. */
	goOn(label: string): Promise<void>;
}

function mouseOf(page: Page): Hand {
	const field = page.getByLabel("Find by name");
	const of = (what: string, name: string) => page.locator("tbody").getByRole("button", { name: `${what} of ${name}:` });
	const option = (name: string) => page.getByRole("option", { name });
	return {
		async find(text) {
			await field.click();
			await page.keyboard.type(text);
		},
		async sell(name) {
			await of("Status", name).click();
			await page.getByRole("menuitemradio", { name: "sold" }).click();
		},
		async move(name, category) {
			await of("Category", name).click();
			await option(category).click();
		},
		undo: () => button(page, "Undo Ctrl Z").click(),
		leaveSearch: () => button(page, "Back to the list").click(),
		async showOnly(category) {
			await button(page, "Category: all").click();
			await option(category).click();
		},
		sortByName: () => button(page, "Name").click(),
		async removeTwo() {
			for (const at of [0, 1]) {
				await page.locator("tbody tr").nth(at).hover();
				await page.locator("tbody .pick input").nth(at).click();
			}
			await button(page, "Remove …").click();
			await button(page, "Remove 2 animals").click();
		},
		async exportWorkbook() {
			await button(page, "Export").click();
			await button(page, "Workbook (.xlsx), for spreadsheets").click();
		},
		addMany: () => page.getByRole("link", { name: "Add many" }).click(),
		async chooseFile(file) {
			const chooser = page.waitForEvent("filechooser");
			await page.getByText("Choose a file", { exact: true }).click();
			await (await chooser).setFiles(file);
		},
		goOn: (label) => button(page, label).click(),
	};
}

function keyboardOf(page: Page): Hand {
	const press = async (...keys: string[]) => {
		for (const key of keys) await page.keyboard.press(key);
	};
	/** The row in focus is that of the animal, or gets the focus from the field above. */
	async function onRow(name: string): Promise<void> {
		const isThere = () => page.evaluate<boolean>(`document.activeElement.textContent === ${JSON.stringify(name)}`);
		if (!(await isThere())) await press("ArrowDown");
		await until(`the focus on ${name}`, isThere);
	}
	async function command(words: string): Promise<void> {
		await press("Control+k");
		await page.getByRole("combobox", { name: "Command, name or id" }).waitFor();
		await page.keyboard.type(words);
		await press("Enter");
	}
	return {
		async find(text) {
			await press("/");
			await page.keyboard.type(text);
		},
		async sell(name) {
			await onRow(name);
			await press("s");
			await page.getByRole("menu").waitFor();
			await press("s");
		},
		async move(name, category) {
			await onRow(name);
			await press("c");
			await page.getByRole("combobox", { name: "Name or number" }).waitFor();
			await page.keyboard.type(category.slice(0, 2).toLowerCase());
			await press("Enter");
		},
		undo: () => press("Control+z"),
		leaveSearch: () => press("Escape"),
		async showOnly(category) {
			await command(category);
		},
		async sortByName() {
			await command("sort by name");
		},
		async removeTwo() {
			await press("ArrowDown", "x", "Shift+ArrowDown");
			await shows(page, "2 selected");
			await press("Delete");
			await page.getByRole("alertdialog").waitFor();
			await press("Tab", "Enter");
		},
		async exportWorkbook() {
			await tabTo(page, "Export");
			await press("Enter");
			await button(page, "Workbook (.xlsx), for spreadsheets").waitFor();
			await tabTo(page, "Workbook (.xlsx), for spreadsheets");
			await press("Enter");
		},
		async addMany() {
			await press("Escape", "m");
		},
		async chooseFile(file) {
			const chooser = page.waitForEvent("filechooser");
			await tabTo(page, "Choose a file of animals");
			await press("Enter");
			await (await chooser).setFiles(file);
		},
		async goOn(label) {
			await page.getByRole("button", { name: label, exact: true, disabled: false }).waitFor();
			await tabTo(page, label);
			await press("Enter");
		},
	};
}

interface Day {
	service: TestService;
	page: Page;
	hand: Hand;
}

const toast = (page: Page, text: string) => page.locator(".toast p").getByText(text, { exact: true }).waitFor();

/** The list goes in, and its words become three new categories. */
async function addList({ page, hand }: Day): Promise<void> {
	await row(page, "Animal 1").waitFor();
	await hand.addMany();
	await shows(page, "Drop your list here");
	await hand.chooseFile({ name: "list.xlsx", mimeType: "", buffer: Buffer.from(workbook({ Animals: list })) });
	await shows(page, `${listed} animals below the names`);
	await hand.goOn("Continue");
	await hand.goOn("New categories: all 3");
	await hand.goOn("Continue");
	await hand.goOn(`Add ${listed} animals`);
	await shows(page, `${listed} of ${listed} animals added`);
	await hand.goOn("Show the new animals");
}

/** Rex is sold, moved to the cats by mistake, and moved back. */
async function sellRex({ page, hand }: Day): Promise<void> {
	await row(page, "Mia").waitFor();
	const before = page.url();
	await hand.find("rex");
	await shows(page, "1 animal with “rex” in the name");
	assert.deepEqual(await namesOn(page), ["Rex"]);
	await hand.sell("Rex");
	await toast(page, "Rex is sold");
	await hand.move("Rex", "Cat");
	await toast(page, "Rex is in Cat");
	await page.locator("tbody td.category", { hasText: /^Cat/ }).waitFor();
	await hand.undo();
	await toast(page, "Rex is in Dog");
	await hand.leaveSearch();
	await row(page, "Mia").waitFor();
	assert.equal(page.url(), before);
}

/** @returns the names that are left, in the order of the list */
async function removeTwoFerrets({ page, hand }: Day): Promise<string[]> {
	await hand.showOnly("Ferret");
	await shows(page, "5 animals");
	await hand.sortByName();
	await page.locator("th[aria-sort=ascending]", { hasText: "Name" }).waitFor();
	await row(page, "Filou 5").waitFor();
	await until(
		"the order of the names",
		async () => String(await namesOn(page)) === "Filou 5,Filou 6,Filou 7,Filou 8,Filou 9",
	);
	await hand.removeTwo();
	await toast(page, "2 animals are removed");
	const left = ["Filou 7", "Filou 8", "Filou 9"];
	await until("the animals that are left", async () => String(await namesOn(page)) === String(left));
	return left;
}

async function exportedFile({ page, hand }: Day, folder: string, names: readonly string[]): Promise<string> {
	const saved: Promise<Download> = page.waitForEvent("download");
	await hand.exportWorkbook();
	const path = join(folder, "animals.xlsx");
	await (await saved).saveAs(path);
	const { source } = await readWorkbook(await openAsBlob(path));
	const [, ...lines] = Buffer.concat(await Array.fromAsync(source()))
		.toString()
		.trim()
		.split("\n");
	assert.deepEqual(
		lines.map((line) => line.split(",")[1]),
		names,
		"the export has the order of the list",
	);
	return path;
}

/** Adds the rows of the file, which are in it in full, and says what became of them. */
async function addFile({ page, hand }: Day, path: string, result: string): Promise<void> {
	await shows(page, "Drop your list here");
	await hand.chooseFile(path);
	await shows(page, "3 animals below the names");
	const add = button(page, "Add 3 animals");
	for (const _ of ["Columns", "Values"]) {
		await page.locator(".go .primary:not([aria-disabled=true])").waitFor();
		if ((await add.count()) === 0) await hand.goOn("Continue");
	}
	await hand.goOn("Add 3 animals");
	await shows(page, result);
}

for (const [name, handOf] of Object.entries({ mouse: mouseOf, keyboard: keyboardOf })) {
	test(`a shelter's day by ${name}: add, find, sell, move, undo, remove, export, add again`, async (context) => {
		const service = await shelter(context);
		const { page } = await openConsole(context, service.url, { hash: "#/animals" });
		await signIn(page, service.key);
		const day = { service, page, hand: handOf(page) };
		await addList(day);
		await sellRex(day);
		const left = await removeTwoFerrets(day);
		const exported = await exportedFile(day, temporaryFolder(context), left);
		const path = office ? saveAs(exported, "xlsx", "saved") : exported;
		await day.hand.addMany();
		await day.hand.goOn("Add another list");
		await addFile(day, path, "3 of 3 animals added");
		await day.hand.goOn("Add another list");
		await addFile(day, path, "0 of 3 animals added");
		const edits = await service.store.edits.list(0n, 100);
		assert.deepEqual(
			edits.map(({ action }) => action),
			["set-status", "set-category", "set-category", "remove", "remove"],
		);
		const { counts } = await service.store.countPets(0n, animals + 10);
		assert.deepEqual(counts, { available: animals - listed + 1, sold: 1, none: 6 });
	});
}
