// The web console asks what lists of other people and programs leave open: each row is one kind of list.

import assert from "node:assert/strict";
import { test } from "../support/browser.ts";
import { petsInWords } from "../support/spreadsheets.ts";
import { workbook } from "../support/workbook.ts";
import { assertAccessible, assertBothAccessible } from "./accessible.ts";
import { addAnimals, addFile, choose, goOn } from "./add-many.ts";
import { opened } from "./console.ts";
import { button } from "./page.ts";
import { click, shows } from "./steps.ts";

interface List {
	rows: string | Buffer;
	/** The answers by the labels of their fields: the text of an entry, or a text to enter. */
	answers?: Record<string, string>;
	/** Texts that the steps Columns and Check show. */
	columns?: string;
	check?: string[];
	/** The animals as they are stored, each with its category and status. */
	animals: string[];
}

const intakes = "Animal ID,Name,Species,Intake\nZ1,Pico,Dog,2024\nZ1,Pico,Dog,2025\nZ2,Moss,Cat,2024\nTotal,3,,\n";
const unnamed = "Animal ID,Name,Animal Type\nZ1,*Pico,Dog\nZ2,,Dog\nZ3,N/A,Cat\nZ4,Moss,Cat\n";
const breeder = "Name,Geburtsjahr,Geschlecht\nPico,2019,m\nMoss,2021,w\n";

const lists: List[] = [
	{
		rows: unnamed,
		answers: { "2 animals have no name": "use Animal ID" },
		animals: ["*Pico Dog –", "Z2 Dog –", "Z3 Cat –", "Moss Cat –"],
	},
	{
		rows: unnamed.replaceAll("Z", "Y"),
		answers: { "2 animals have no name": "leave out" },
		check: ["2 good, 0 to fix.", "Left out: 2 animals without a name."],
		animals: ["*Pico Dog –", "Moss Cat –"],
	},
	{
		rows: breeder,
		answers: { "No column holds the category. All animals are": "dog" },
		check: ["Ignored: Geburtsjahr, Geschlecht."],
		animals: ["Pico Dog –", "Moss Dog –"],
	},
	{
		rows: intakes,
		answers: { "Animal ID repeats: 3 rows, 2 animals": "one animal for each Animal ID, from its last row" },
		check: ["2 good, 0 to fix.", "Left out: row 5 (“Total”): no animal; 1 with the Animal ID of another row."],
		animals: ["Pico Dog –", "Moss Cat –"],
	},
	{
		rows: intakes.replaceAll("Z", "Y"),
		answers: { "Animal ID repeats: 3 rows, 2 animals": "each row is an animal" },
		animals: ["Pico Dog –", "Pico Dog –", "Moss Cat –"],
	},
	{
		rows: "Animal ID,Name,Animal Type,Breed\nZ1,Pico,Dog,Beagle Mix\nZ2,Moss,Cat,Manx\n",
		columns: "The category is in “Animal Type”: “Breed” is more detailed.",
		animals: ["Pico Dog –", "Moss Cat –"],
	},
	{
		rows: "Name;Telefon;Name;Tierart\nFrau A;1;Pico;Dog\nHerr B;2;Moss;Cat\n",
		answers: { "Column 3, Name, holds": "Name" },
		animals: ["Pico Dog –", "Moss Cat –"],
	},
	{
		rows: "Animal ID,Name,Species\nZ1,Pico,Dog\nZ1,Pico,Dog\nZ1,Pico,\nZ2,Moss,Cat\n",
		answers: { "Animal ID repeats: 4 rows, 2 animals": "one animal for each Animal ID, from its last row" },
		check: ["2 good, 0 to fix."],
		animals: ["Pico Dog –", "Moss Cat –"],
	},
	{
		rows: "Animal ID,Name,Species\nZ1,Pico,Hund\nZ1,Pico,Dog\nZ2,Moss,Cat\n",
		answers: { "Animal ID repeats: 3 rows, 2 animals": "one animal for each Animal ID, from its last row" },
		animals: ["Pico Dog –", "Moss Cat –"],
	},
	{ rows: "Name,Sorte\nPico,Dog\nMoss,Cat\n", animals: ["Pico Dog –", "Moss Cat –"] },
	{
		rows: `${'{"name":"Pico"}\n'.repeat(9)}${'{"name":"Moss","species":"Cat","status":"sold"}\n'.repeat(2)}`,
		check: ["2 good, 9 to fix."],
		animals: ["Moss Cat sold", "Moss Cat sold"],
	},
	{
		rows: '[{"name":"Pico"},{"name":"Moss"}]',
		answers: { "No column holds the category. All animals are": "2" },
		animals: ["Pico Cat –", "Moss Cat –"],
	},
];

test("names, categories and repeated ids that lists leave open are asked about, with proposals", async (context) => {
	const { service, page } = await opened(context, []);
	await service.store.categories.apply([{ name: "Dog" }, { name: "Cat" }]);
	await page.reload();
	const stored: string[] = [];
	for (const [at, { rows, answers = {}, columns, check = [], animals }] of lists.entries()) {
		const file = `list-${at}.csv`;
		await choose(page, file, rows);
		for (const [label, answer] of Object.entries(answers)) {
			const field = page.getByLabel(label, { exact: true });
			await field.waitFor();
			if (await field.locator("option").count())
				assert.equal(await button(page, "Continue").getAttribute("aria-disabled"), "true", `${file} is asked about`);
			if (at === 0) await assertBothAccessible(page, "a question about a list");
			if (await field.locator("option").count()) await field.selectOption(answer);
			else await field.fill(answer);
		}
		if (columns) await shows(page, columns);
		await goOn(page, "Check");
		for (const text of check) await shows(page, text);
		await addAnimals(page, `${animals.length} animals`, `${animals.length} of ${animals.length} animals added`);
		await button(page, "Add another list").click();
		stored.push(...animals);
		assert.deepEqual(await petsInWords(service), stored, file);
		service.clock.nowMs = (service.clock.nowMs ?? Date.now()) + 25 * 3_600_000; // Equal rows are of another day.
	}
});

test("before animals are added, the first five are shown as they will be stored", async (context) => {
	const { service, page } = await opened(context, []);
	const names = ["Pico", "Moss", "Fern", "Ash", "Ivy", "Elm"];
	const rows = names.map((name, at) => `Z${at},${at === 1 ? "" : name},sold\n`);
	await choose(page, "herd.xlsx", workbook({ Degus: `ID,Name,Status\n${rows.join("")}Z0,Pico` }));
	await page.getByLabel("1 animal has no name").selectOption("correct each row");
	await page.getByLabel("ID repeats: 7 rows, 6 animals").selectOption("one animal for each ID, from its last row");
	await goOn(page, "Values");
	await button(page, "New category: Degus").click();
	await goOn(page, "Check");
	await shows(page, "5 good, 1 to fix.");
	await page.getByLabel("Name in row 3: Enter a name").fill("Moss");
	await shows(page, "6 good, 0 to fix.");
	const table = page.getByRole("region", { name: "As they will be stored" });
	const shown = names.slice(1).map((name) => `${name}Degussold`);
	assert.deepEqual(await table.getByRole("row").allTextContents(), ["NameCategoryStatus", ...shown]);
	await shows(page, "1 new category: Degus");
	await shows(page, "As they will be stored: the first 5 of 6");
	await assertAccessible(page, "the first animals");
	await addAnimals(page, "6 animals", "6 of 6 animals added");
	assert.deepEqual(await petsInWords(service), [...names.slice(1).map((name) => `${name} Degus sold`), "Pico Degus –"]);
});

test("a row that is corrected after the question is asked about, too", async (context) => {
	const { service, page } = await opened(context, []);
	const correct = () => page.getByLabel("Category in row 3").fill("2");
	await choose(page, "morning.csv", "Name,Category\nPico,1\nMoss,\n");
	await goOn(page, "Check");
	await correct();
	await addAnimals(page, "2 animals", "2 of 2 animals added");
	await button(page, "Add another list").click();
	await addFile(page, "evening.csv", "Name,Category\nPico,1\nMoss,\nFern,2\n", "2 animals");
	await shows(page, /^1 of 2 animals is already there \(Pico\)/);
	await correct();
	await addAnimals(page, "3 animals", /^2 of 3 animals are already there/);
	await click(page, "Leave them out", "1 of 3 animals added, 2 already there");
	assert.equal((await petsInWords(service)).length, 3);
});

test("rows that another file added are shown before anything is sent: leave out, or add again", async (context) => {
	const { service, page } = await opened(context, []);
	await service.store.categories.apply([{ name: "Dog" }, { name: "Cat" }]);
	await page.reload();
	await addFile(page, "fix-me.csv", "Name,Species\nPico,Dog\nMoss,\nFern,Cat\n", "2 animals", "2 of 2 animals added");
	await button(page, "Add another list").click();
	const fixed = "Name,Species\nPico,Dog\nMoss,Cat\nFern,Cat\n";
	const question =
		/^2 of 3 animals are already there \(Pico, Fern\), added today at \d+:\d\d by test from fix-me\.csv\.$/;
	await addFile(page, "fix-me.csv", fixed, "3 animals", question);
	await assertBothAccessible(page, "a question about rows that are there");
	assert.deepEqual(await petsInWords(service), ["Pico Dog –", "Fern Cat –"], "nothing was sent");
	await click(page, "Leave them out", "1 of 3 animals added, 2 already there");
	await button(page, "Add another list").click();
	await addFile(page, "fix-me.csv", fixed.replace("Moss", "Ash"), "3 animals", question);
	await click(page, "Add them again", "3 of 3 animals added");
	assert.equal((await petsInWords(service)).length, 6);
});

test("a table may have no heading; sheets of one shape are one table", async (context) => {
	const { service, page } = await opened(context, []);
	await choose(page, "no-heading.csv", "7,Pico,Dog\n8,Moss,Cat\n");
	await page.getByRole("button", { name: "Row 1 names the columns" }).click();
	await page.getByLabel("Column #2 holds").selectOption("name");
	await page.getByLabel("Column #3 holds").selectOption("categoryId");
	await goOn(page, "Values");
	await button(page, "New categories: all 2").click();
	await goOn(page, "Check");
	await addAnimals(page, "2 animals", "2 of 2 animals added");
	await button(page, "Add another list").click();
	const sheets = { Dog: "Name,Born\nAsh,2019", Cat: "Name,Born\nFern,2020\n,2021", Staff: "Who\nAnn" };
	await choose(page, "sheets.xlsx", workbook(sheets));
	await shows(page, "2 sheets of a workbook (Dog, Cat)");
	await page.getByLabel("1 animal has no name").selectOption("correct each row");
	await goOn(page, "Check");
	await page.getByLabel("Name in row 3").fill("Ivy");
	await addAnimals(page, "3 animals", "3 of 3 animals added");
	assert.deepEqual(await petsInWords(service), ["Pico Dog –", "Moss Cat –", "Ash Dog –", "Fern Cat –", "Ivy Cat –"]);
});
