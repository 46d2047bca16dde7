// The first three minutes of a person who adds an existing table in the web console.

import assert from "node:assert/strict";
import { test } from "../support/browser.ts";
import { listAll } from "../support/ledger.ts";
import { describePet, petsInWords, shelterTables, spreadsheets } from "../support/spreadsheets.ts";
import { assertAccessible, assertFits, button, goOn, opened, resize, shows } from "./console.ts";

test("the tables of shelters are added by mouse alone, without a category twice", async (context) => {
	const { service, page } = await opened(context, []);
	await page.goto(`${service.url}/console#/add-many`);
	const expected: string[] = [];
	for (const { file, path, pets, choice, unknown } of shelterTables) {
		await page.getByLabel("File of animals").setInputFiles(path);
		if (choice) await page.getByLabel(`Column ${choice} holds`).selectOption("Category");
		await goOn(page, "Values");
		if (unknown) await page.getByLabel(`“${unknown}” becomes`).selectOption("correct each row");
		const all = page.getByRole("button", { name: /^New categories: all/ });
		await all
			.or(page.getByRole("button", { name: /^New category: / }))
			.first()
			.click();
		await goOn(page, "Check");
		await button(page, `Add ${pets.length} animals`).click();
		await shows(page, `${pets.length} of ${pets.length} animals added`);
		await button(page, "Add another list").click();
		expected.push(...pets);
		assert.deepEqual(await petsInWords(service), expected, file);
	}
});

test("each animal of files of three programs is added with the proposed meanings", async (context) => {
	const { service, page } = await opened(context, []);
	await page.goto(`${service.url}/console#/add-many`);
	const expected: string[] = [];
	for (const [at, { file, path, kind, pets, rejected }] of spreadsheets.entries()) {
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
		const next = button(page, "Continue");
		await ready.click();
		const step = page.locator(".step-list [aria-current]", { hasText: /Values|Check/ });
		if ((await step.textContent()) === "Values") await next.click();
		await shows(page, `${pets.length} good, ${rejected.length} to fix.`);
		for (const number of rejected) await page.getByRole("cell", { name: String(number), exact: true }).waitFor();
		await check(page, file);
		await button(page, `Add ${pets.length} animals`).click();
		await shows(page, `${pets.length} of ${pets.length} animals added`);
		await button(page, "Add another list").click();
		expected.push(...pets);
		assert.deepEqual((await listAll(service.url, service.key)).map(describePet), expected, file);
	}
});
