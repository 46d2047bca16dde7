// The first three minutes of a person who adds an existing table in the web console, and a day of a shelter.

import assert from "node:assert/strict";
import { openAsBlob } from "node:fs";
import type { Page } from "playwright-core";
import { readWorkbook } from "../../src/files/workbook.ts";
import { test } from "../support/browser.ts";
import { listAll } from "../support/ledger.ts";
import { describePet, petsInWords, shelterTables, spreadsheets } from "../support/spreadsheets.ts";
import { until } from "../support/until.ts";
import { workbook } from "../support/workbook.ts";
import { assertAccessible, assertFits, resize } from "./accessible.ts";
import { addAnimals, goOn } from "./add-many.ts";
import { numbered, opened } from "./console.ts";
import { button, focused, message, namesOn, row } from "./page.ts";
import { command, enter, hit, press, shows, tabTo } from "./steps.ts";

test("the tables of shelters are added by mouse alone, without a category twice", async (context) => {
	const { service, page } = await opened(context, []);
	await page.goto(`${service.url}/console#/add-many`);
	const expected: string[] = [];
	for (const { file, path, pets } of shelterTables) {
		await page.getByLabel("File of animals").setInputFiles(path);
		await goOn(page, "Values");
		if (file === "fundtiere.xlsx")
			await page.getByLabel("“nicht vermittelbar” becomes").selectOption("correct each row");
		const create = page.getByRole("button", { name: /^New (categories: all|category: )/ });
		await create.first().click();
		await goOn(page, "Check");
		await addAnimals(page, `${pets.length} animals`, `${pets.length} of ${pets.length} animals added`);
		await button(page, "Add another list").click();
		expected.push(...pets);
		assert.deepEqual(await petsInWords(service), expected, file);
	}
});

test("each animal of files of three programs is added with the proposed meanings", async (context) => {
	const { service, page } = await opened(context, []);
	await page.goto(`${service.url}/console#/add-many`);
	const expected: string[] = [];
	for (const [at, { file, path, kind, pets }] of spreadsheets.entries()) {
		const check = at === 0 ? assertAccessible : assertFits;
		await page.getByLabel("File of animals").setInputFiles(path);
		await shows(page, kind);
		const ready = page.locator(".go .primary:not([aria-disabled=true])");
		await ready.waitFor();
		for (const width of [390, 1600]) {
			await resize(page, width);
			await check(page, `the columns of ${file}, ${width} wide`);
		}
		const last = await page.locator(".preview thead th").last().boundingBox();
		const area = await page.getByRole("region", { name: "The first rows" }).boundingBox();
		assert.ok(last && area && last.x + last.width <= area.x + area.width, "every column of a real table is seen");
		await ready.click();
		const step = page.locator(".step-list [aria-current]", { hasText: /Values|Check/ });
		if ((await step.textContent()) === "Values") await button(page, "Continue").click();
		await shows(page, `${pets.length} good, 0 to fix.`);
		await check(page, file);
		await addAnimals(page, `${pets.length} animals`, `${pets.length} of ${pets.length} animals added`);
		await button(page, "Add another list").click();
		expected.push(...pets);
		assert.deepEqual((await listAll(service.url, service.key)).map(describePet), expected, file);
	}
});

const ferrets = Array.from({ length: 5 }, (_, at) => `Filou ${9 - at}`);
/** A list as the shelter's staff keep it: with a title, words as categories, and a blank status. */
const heading = "Our animals in November\nRufname,Tierart,Status\nRex,Dog,available\nMia,Cat,available";
const list = [heading, ...ferrets.map((name) => `${name},Ferret`)].join("\n");

/** Presses the button that leads to the next step of Add many. */
async function pressOn(page: Page, label: string): Promise<void> {
	await page.getByRole("button", { name: label, exact: true, disabled: false }).waitFor();
	await tabTo(page, label);
	await press(page, "Enter");
}

test("a shelter's day by keyboard alone: add a list, find, move, filter, sort and export", async (context) => {
	const { page } = await opened(context, numbered(20_000));
	await hit(page, "m", "Drop your list here");
	const chooser = page.waitForEvent("filechooser");
	await pressOn(page, "Choose a file of animals");
	const bytes = Buffer.from(workbook({ Animals: list }));
	await (await chooser).setFiles({ name: "list.xlsx", mimeType: "", buffer: bytes });
	for (const label of ["Continue", "New categories: all 3", "Continue", "Add 7 animals", "Show the new animals"])
		await pressOn(page, label);
	await row(page, "Mia").waitFor();

	await press(page, "/");
	await page.keyboard.type("rex");
	await shows(page, "1 animal with “rex” in the name");
	await press(page, "ArrowDown");
	await until("the focus on Rex", async () => (await focused(page)) === "Rex");
	await hit(page, "c", page.getByRole("option", { name: "Dog", checked: true, selected: true }));
	await press(page, "Enter");
	await page.getByRole("combobox", { name: "Name or number" }).waitFor({ state: "detached" });
	await page.locator("tbody td.category", { hasText: "Dog" }).waitFor();
	await hit(page, "c", page.getByRole("combobox", { name: "Name or number" }));
	await enter(page, "ca");
	await message(page, "Rex is in Cat").waitFor();
	await hit(page, "Escape", row(page, "Mia"));

	for (const words of ["Ferret", "sort by name"]) {
		await command(page, words);
		await hit(page, "Enter", "5 animals");
	}
	const sorted = ferrets.toReversed();
	await until("the order of the names", async () => String(await namesOn(page)) === String(sorted));
	const download = page.waitForEvent("download");
	for (const label of ["Export", "Workbook (.xlsx), for spreadsheets"]) await pressOn(page, label);
	const { source } = await readWorkbook(await openAsBlob(await (await download).path()));
	const table = Buffer.concat(await Array.fromAsync(source())).toString();
	assert.deepEqual(table.match(/Filou \d/g), sorted, "the order of the list");
});
