// Many animals at once in the web console: a spreadsheet is imported, and the same animals are exported.

import assert from "node:assert/strict";
import { openAsBlob } from "node:fs";
import { readWorkbook } from "../../src/files/workbook.ts";
import { StorageUnavailable } from "../../src/store/store.ts";
import { hold, test } from "../support/browser.ts";
import { until } from "../support/until.ts";
import { workbook } from "../support/workbook.ts";
import { assertAccessible, assertBothAccessible } from "./accessible.ts";
import { addAnimals, choose, goOn, saved } from "./add-many.ts";
import { openAs, opened, petsOf, revokeUnseen, signIn, signOut, takeOut } from "./console.ts";
import { button, row } from "./page.ts";
import { click, follow, press, shows } from "./steps.ts";

test("a spreadsheet is recognised, checked, added in its order, filtered and exported again", async (context) => {
	const { service, page } = await opened(context, []);
	const lines = ["Name;Category ID;Weight (kg);Status"];
	for (let at = 0; at < 30; at++) lines.push(`Müller ${at};${at};1,5;${at % 2 ? "sold" : ""}`);
	lines[4] = "Rex;1.5;3;sold";
	lines[5] = '"two\r\nlines";4;3;sold';
	await choose(page, "tiere.csv", Buffer.from(lines.join("\r\n"), "latin1"));
	await shows(page, "CSV with semicolons, Windows-1252");
	await shows(page, "30 animals below the names");
	assert.equal(await page.getByLabel("Column Category ID holds").inputValue(), "categoryId");
	assert.equal(await page.getByLabel("Column Weight (kg) holds").inputValue(), "");
	await assertBothAccessible(page, "the columns of a file");
	await goOn(page, "Check");
	const fix = /^28 good, 2 to fix\.\s+Correct the red fields, or leave these rows out\. Ignored: Weight \(kg\)\.$/;
	await shows(page, fix);
	await shows(page, "A category is a whole number, such as 4 · 1 row");
	const fields = await page.locator(".rejected input").all();
	assert.deepEqual(await Promise.all(fields.map((field) => field.inputValue())), ["1.5", "two lines"]);
	await assertBothAccessible(page, "the check of a file");
	await fields[0]?.fill("7");
	await shows(page, "29 good, 1 to fix.");
	await button(page, "Back").click();
	for (const held of ["", "status"]) await page.getByLabel("Column Status holds").selectOption(held);
	await goOn(page, "Check");
	await shows(page, "28 good, 2 to fix.");
	assert.deepEqual(await petsOf(service), [], "nothing is sent before the button");
	await addAnimals(page, "28 animals", "28 of 28 animals added, 2 left out");
	const download = page.waitForEvent("download");
	const rejected = await saved(page, "Save the 2 rows as a file");
	assert.equal((await download).suggestedFilename(), "tiere.csv.rejected.csv");
	const heading = "\ufeffline;reason;Name;Category ID;Weight (kg);Status";
	assert.ok(rejected.startsWith(`${heading}\n5;A category is a whole number, such as 4;Rex;1.5;`), rejected);
	const expected = Array.from({ length: 30 }, (_, at) => `Müller ${at} ${at % 2 ? "sold" : "–"}`).toSpliced(3, 2);
	assert.deepEqual(await petsOf(service), expected, "in the order of the file");
	await click(page, "Show the new animals", row(page, "Müller 29"));
	await click(page, page.getByRole("button", { name: /^Sold/ }), row(page, "Müller 1"));
	const exported = page.waitForEvent("download");
	await button(page, "Export").click();
	await button(page, "Workbook (.xlsx), for spreadsheets").click();
	assert.match((await exported).suggestedFilename(), /^animals-.*\.xlsx$/);
	const { source } = await readWorkbook(await openAsBlob(await (await exported).path()));
	const table = Buffer.concat(await Array.fromAsync(source())).toString();
	assert.ok(table.startsWith("id,name,categoryId,status\n2,Müller 1,1,sold\n"), table);
	assert.equal(table.match(/Müller/g)?.length, 14);
});

test("after a look at the list, no animal is added before the whole file is checked again", async (context) => {
	const { page } = await opened(context, []);
	await hold(page, "**/console/imports");
	await choose(page, "long.csv", `name,categoryId\n${"Rex,1\n".repeat(80_000)}`);
	await goOn(page, "Check");
	await shows(page, "80,000 good, 0 to fix.");
	await page.getByRole("link", { name: "Animals", exact: true }).click();
	await page.getByRole("link", { name: "Add many" }).click();
	await click(page, page.locator(".go .primary:not([aria-disabled=true])"), "0 of 80,000 animals added");
	await button(page, "Pause").click();
	await button(page, "Discard the rest").click();
	const categories = page.waitForResponse("**/console/categories");
	await page.getByRole("link", { name: "Animals", exact: true }).click();
	await categories;
	await page.close();
});

test("an export has the animals that were found or selected, and says why nothing was exported", async (context) => {
	const { service, page, errors } = await opened(context, ["Rex", "Zoë", "Mia", "Zoe"], "#/animals?name=zoe");
	await shows(page, "2 animals with “zoe” in the name");
	await click(page, "Export", "Export all animals with “zoe” in the name");
	assert.equal(await saved(page, "CSV"), "\ufeffid,name,categoryId,status\n2,Zoë,2,pending\n4,Zoe,4,available\n");
	await page.keyboard.press("Escape");
	await page.getByRole("link", { name: "Zoe", exact: true }).focus();
	await page.keyboard.press("x");
	await click(page, page.getByRole("toolbar").getByRole("button", { name: "Export" }), "Export 1 animal, as selected");
	assert.equal(await saved(page, "CSV"), "\ufeffid,name,categoryId,status\n4,Zoe,4,available\n");
	const { store } = service;
	const found = await store.findPets({ limit: 1 });
	let [reads, fails] = [0, false];
	const failing = context.mock.method(store, "findPets", async () => {
		reads++;
		await new Promise(setImmediate);
		if (fails) throw new StorageUnavailable("the server is away");
		return { pets: found.pets, next: { id: 1n } };
	});
	const downloads: unknown[] = [];
	page.on("download", (download) => downloads.push(download));
	await press(page, "Escape", "Escape");
	await button(page, "Export").click();
	await button(page, "CSV").click();
	await until("the export to begin", () => reads > 3);
	fails = true;
	await shows(page, "Nothing was exported. The server does not answer.");
	failing.mock.restore();
	assert.deepEqual(downloads, [], "a part of a file is not saved");
	takeOut(errors, /ERR_/);
});

test("rows are pasted, as text in the field or anywhere on the page, also as JSON", async (context) => {
	const { service, page } = await opened(context, [], "#/add-many");
	await button(page, "Paste rows").click();
	await page.getByLabel("Rows, with their heading").fill('[{"name":"Rex","category_id":1},{"name":7}]');
	await click(page, "Check these rows", "a JSON array, UTF-8");
	await goOn(page, "Check");
	await shows(page, "1 good, 1 to fix.");
	await shows(page, "Enter a category, such as 4 · 1 row");
	for (const _ of ["Columns", "File"]) await button(page, "Back").click();
	assert.match(await page.getByLabel("Rows, with their heading").inputValue(), /"name":7/, "to be corrected");
	await button(page, "Choose a file instead").click();
	await page.evaluate(`(() => {
		const dataTransfer = new DataTransfer();
		dataTransfer.items.add(new File(["name,category\\nRex,1"], "dropped.csv"));
		const options = { dataTransfer, bubbles: true, cancelable: true };
		document.querySelector(".drop").dispatchEvent(new DragEvent("drop", options));
	})()`);
	await shows(page, "dropped.csv");
	await button(page, "Back").click();
	await page.evaluate(`(() => {
		const clipboardData = new DataTransfer();
		clipboardData.setData("text/plain", "name\\t\\tcategory\\nMia \\"the Cat\\"\\t12\\"\\t3");
		document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
	})()`);
	await page.getByLabel("Column 2 holds").waitFor();
	await goOn(page, "Check");
	await addAnimals(page, "1 animal", "1 of 1 animal added");
	await shows(page, "pasted rows");
	assert.deepEqual(await petsOf(service), ['Mia "the Cat" –']);
});

test("a file that cannot be read is refused with its line and the fix", async (context) => {
	const { page } = await opened(context, []);
	await choose(page, "empty.csv", "");
	await shows(page, "The file is empty: there is nothing to import.");
	await choose(page, "animals.xlsx", Buffer.from("504b0304140006000800000021", "hex"));
	await shows(page, "The archive is damaged: save the workbook again.");
	await choose(page, "broken.csv", 'name,categoryId\nRex,1\n"Mia,2\n');
	await shows(page, /Line 3: a quote opens here/);
	await choose(page, "whole.csv", "name,categoryId\nRex,1\n");
	await click(page, "Back", "Nothing is added before you have checked it.");
	assert.equal(await page.locator(".problem").textContent(), "", "the failures are gone");
});

test("a look at the list and a revoked key keep all of Add many; signing out does not", async (context) => {
	const { service, page, errors, issued } = await openAs(context, ["pets:read", "pets:write"], { hash: "#/add-many" });
	const lookAtTheList = async () => {
		await page.getByRole("link", { name: "Animals", exact: true }).click();
		await page.getByRole("link", { name: "Add many" }).click();
	};
	const pasted = page.getByLabel("Rows, with their heading");
	await button(page, "Paste rows").click();
	await pasted.fill("a,b,c,d\nRex,1,weg,x\nIda,4-,,y\n");
	await lookAtTheList();
	assert.equal(await pasted.inputValue(), "a,b,c,d\nRex,1,weg,x\nIda,4-,,y\n");
	await button(page, "Check these rows").click();
	for (const [column, field] of Object.entries({ a: "name", b: "categoryId", c: "status" }))
		await page.getByLabel(`Column ${column} holds`).selectOption(field);
	await goOn(page, "Values");
	await page.getByLabel("“weg” becomes").selectOption("sold");
	await lookAtTheList();
	assert.equal(await page.getByLabel("“weg” becomes").inputValue(), "sold");
	await goOn(page, "Check");
	const field = page.getByLabel("Category in row 3: A category is a whole number, such as 4");
	await field.fill("4");
	await lookAtTheList();
	assert.equal(await field.inputValue(), "4");
	await revokeUnseen(page, service, issued);
	await follow(page, "Animals", "This key was revoked or has expired. Your draft is kept.");
	await signIn(page, service.key);
	await page.getByRole("link", { name: "Add many" }).click();
	assert.equal(await field.inputValue(), "4");
	await addAnimals(page, "2 animals", "2 of 2 animals added");
	assert.deepEqual(await petsOf(service), ["Rex sold", "Ida –"]);
	await button(page, "Add another list").click();
	await choose(page, "rows.csv", "name,categoryId\nMia,1\n");
	await shows(page, "1 animal below the names");
	await signOut(page);
	await signIn(page, service.key);
	await shows(page, "Drop your list here");
	takeOut(errors, /401/);
});

test("a file or sheet that is read late replaces none chosen after it, and not after Back", async (context) => {
	const { page } = await opened(context, [], "#/add-many");
	await page.evaluate(`(() => {
		const read = Blob.prototype.arrayBuffer;
		globalThis.holdNextRead = () => {
			const { promise, resolve } = Promise.withResolvers();
			Blob.prototype.arrayBuffer = async function () {
				Blob.prototype.arrayBuffer = read;
				await promise;
				return read.call(this);
			};
			globalThis.release = async () => {
				resolve();
				for (let turn = 0; turn < 30; turn++) await new Promise((done) => setTimeout(done));
			};
		};
	})()`);
	const hold = () => page.evaluate("holdNextRead()");
	const release = () => page.evaluate("release()");
	const shown = (text: string) => page.locator(".go").getByText(text);
	await hold();
	await choose(page, "first.csv", "name,categoryId\nRex,1\n");
	await shows(page, "Reading the file …");
	await choose(page, "second.csv", "name,categoryId\nMia,2\n");
	await shown("second.csv").waitFor();
	await release();
	assert.equal(await shown("second.csv").count(), 1);
	await button(page, "Back").click();
	const rows = "Name,Category\nRex,1";
	await choose(page, "animals.xlsx", workbook({ Notes: "nothing", Now: rows, Older: rows, Oldest: rows }));
	await shown("3 sheets of a workbook (Now, Older, Oldest)").waitFor();
	await assertAccessible(page, "the sheets of a workbook");
	await hold();
	await page.getByLabel("Sheet", { exact: true }).selectOption("Older");
	await page.getByLabel("Sheet", { exact: true }).selectOption("Oldest");
	await shown('sheet "Oldest"').waitFor();
	await release();
	assert.equal(await shown('sheet "Oldest"').count(), 1);
	await hold();
	await page.getByLabel("Sheet", { exact: true }).selectOption("Now");
	await click(page, "Back", "Drop your list here");
	await release();
	assert.equal(await page.getByText("Drop your list here").count(), 1);
});
