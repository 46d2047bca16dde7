// A person tells the web console what a list means: the columns, the words in place of values, and corrections.

import assert from "node:assert/strict";
import type { Route } from "playwright-core";
import { test } from "../support/browser.ts";
import { listAll } from "../support/ledger.ts";
import { describePet } from "../support/spreadsheets.ts";
import { until } from "../support/until.ts";
import { workbook } from "../support/workbook.ts";
import { assertBothAccessible, resize } from "./accessible.ts";
import { addAnimals, choose, goOn, saved } from "./add-many.ts";
import { elsewhere, openAs, opened, petsOf, takeOut } from "./console.ts";
import { button } from "./page.ts";
import { click, shows } from "./steps.ts";

test("columns with the same name or none are chosen one by one; a click makes a row the heading", async (context) => {
	const { service, page } = await opened(context, []);
	const holds = (column: string) => page.getByLabel(`Column ${column} holds`, { exact: true });
	const rows = "Our animals\n\nTier,Tier,,,Status\nAnn Smith,Rex,x,7,sold\nBo Jones,Mia,y,8,\n";
	await choose(page, "owners.csv", rows);
	await shows(page, "No column holds the category. All animals are");
	await holds("3").selectOption("categoryId");
	await holds("4").selectOption("categoryId");
	await shows(page, /^Several columns match name: "Tier", "Tier"; .*\. Choose one in the menus above\.$/);
	await holds("1, Tier,").selectOption("name");
	await holds("2, Tier,").selectOption("name");
	const menus = await page.locator(".preview select").all();
	const chosen = ["", "name", "", "categoryId", "status"];
	assert.deepEqual(await Promise.all(menus.map((menu) => menu.inputValue())), chosen);
	await shows(page, "2 animals below the names");
	const heading = (row: number) => page.getByRole("button", { name: `Row ${row} names the columns` });
	await page.getByRole("cell", { name: "Status", exact: true }).click();
	assert.deepEqual(await Promise.all(menus.map((menu) => menu.inputValue())), chosen, "the row is the heading already");
	await page.getByRole("cell", { name: "Ann Smith" }).click();
	await until("row 4 as the heading", async () => (await heading(4).getAttribute("aria-pressed")) === "true");
	await page.getByRole("cell", { name: "Status", exact: true }).click();
	await until("row 3 as the heading", async () => (await heading(3).getAttribute("aria-pressed")) === "true");
	await holds("2, Tier,").selectOption("name");
	await holds("4").selectOption("categoryId");
	await goOn(page, "Check");
	await addAnimals(page, "2 animals", "2 of 2 animals added");
	const added = '[{"id":1,"name":"Rex","categoryId":7,"status":"sold"},{"id":2,"name":"Mia","categoryId":8}]';
	assert.equal((await service.send({ path: "/v1/pets" })).body, added);
});

test("a heading below titles is found, words are confirmed, lost letters and fields corrected", async (context) => {
	const { service, page } = await opened(context, []);
	const rows = ["Bello;1;verfügbar", "M?ller;2;Verkauft", "Zora;3;verkauft", "Uma;4;weg", "Ida;4-;", ";6;"];
	await choose(page, "tiere.csv", ["Tiere, Stand: heute;;", "Tiername;Kategorie-Nr.;Zustand", ...rows].join("\r\n"));
	const heading = (row: number) => page.getByRole("button", { name: `Row ${row} names the columns` });
	assert.equal(await heading(2).getAttribute("aria-pressed"), "true");
	await shows(page, "6 animals below the names");
	await heading(3).focus();
	await page.keyboard.press("Space");
	await shows(page, "In the menus above the columns, choose which column holds the name and which holds the category.");
	await heading(2).click();
	await goOn(page, "Values");
	await shows(page, "2 of 3 values are clear, 1 needs a choice");
	const becomes = (word: string) => page.getByLabel(`“${word}” becomes`);
	assert.equal(await becomes("Verkauft").inputValue(), "sold");
	const next = button(page, "Continue");
	assert.equal(await next.getAttribute("aria-disabled"), "true", "an unclear word prevents the next step");
	await assertBothAccessible(page, "the words of a file");
	await becomes("weg").selectOption("not set");
	await becomes("verfügbar").selectOption("pending");
	const lost = page.getByRole("region", { name: "Lost letters" });
	await lost.getByLabel("Row 4").fill("");
	await shows(page, "3 of 3 values are clear");
	assert.equal(await next.getAttribute("aria-disabled"), "true", "a name without letters prevents the next step");
	await lost.getByLabel("Row 4").fill("Müller");
	await goOn(page, "Check");
	await shows(page, "4 good, 2 to fix.");
	await resize(page, 390, 844);
	const field = page.getByLabel("Category in row 7: A category is a whole number, such as 4");
	const { x = 0, width = 390 } = (await field.boundingBox()) ?? {};
	assert.ok(x + width < 390, `a field to correct ends at ${x + width} on a phone`);
	await resize(page, 1280, 720);
	await field.fill("4");
	await shows(page, "5 good, 1 to fix.");
	await button(page, "Back").click();
	assert.equal(await lost.getByLabel("Row 4").inputValue(), "Müller");
	await goOn(page, "Check");
	const left = "\ufeffline;reason;Tiername;Kategorie-Nr.;Zustand\n8;Enter a name;;6;\n";
	assert.equal(await saved(page, "Save the row as a file"), left);
	assert.deepEqual(await petsOf(service), [], "nothing is sent before the last button");
	await addAnimals(page, "5 animals", "5 of 5 animals added, 1 left out");
	assert.deepEqual(await petsOf(service), ["Bello pending", "Müller sold", "Zora sold", "Uma –", "Ida –"]);
});

test("faults of JSON are said in words for people; corrected fields are added as written", async (context) => {
	const { service, page } = await opened(context, []);
	const rows = '{"name":"Rex","categoryId":"4-"}\n{"name":null,"categoryId":1.5,"status":"weg"}\n{"name":"Mia",}';
	await choose(page, "pets.ndjson", rows);
	await goOn(page, "Values");
	await page.getByLabel("“weg” becomes").selectOption("correct each row");
	await goOn(page, "Check");
	await shows(page, "0 good, 3 to fix.");
	await shows(page, "A category is a whole number, such as 4 · 1 row");
	await shows(page, /^Not one JSON object: /);
	const second =
		"Enter a name; A category is a whole number, such as 4; “weg” is not a status: available, pending, or sold";
	await shows(page, `${second} · 1 row`);
	await page.getByLabel("Category in row 1").fill("9007199254740993");
	await page.getByLabel("Name in row 2").fill("Zoë");
	await page.getByLabel("Category in row 2").fill("2");
	await page.getByLabel("Status in row 2").selectOption("not set");
	await addAnimals(page, "2 animals", "2 of 2 animals added, 1 left out");
	const { body } = await service.send({ path: "/v1/pets" });
	assert.equal(body, '[{"id":1,"name":"Rex","categoryId":9007199254740993},{"id":2,"name":"Zoë","categoryId":2}]');
});

test("words in place of categories become categories by mouse alone, once", async (context) => {
	const { service, page, errors } = await opened(context, []);
	const animals = ["Bello Hund", "Mia Katze", "Rex hund ", "Lora Vogel", "Kit Kater"].map((pet, at) => [
		...pet.split(/ (.*)/).slice(0, 2),
		`Linie ${"ABACD"[at]}`,
		at % 2 ? "verkaufte" : undefined,
	]);
	const bytes = workbook({ Bestand: [["Tierheim"], [], ["Rufname", "Tierart", "Gattung", "Zustand"], ...animals] });
	await choose(page, "bestand.xlsx", bytes);
	await shows(page, /^Several columns match categoryId: "Tierart", "Gattung"; .*\. Choose one in the menus above\.$/);
	const holds = (column: string) => page.getByLabel(`Column ${column} holds`);
	assert.deepEqual([await holds("Tierart").inputValue(), await holds("Gattung").inputValue()], ["open", "open"]);
	await holds("Gattung").selectOption("Not used");
	assert.equal(await holds("Tierart").inputValue(), "categoryId");
	await goOn(page, "Values");
	await shows(page, "1 of 5 values are clear, 4 need a choice");
	await page.getByLabel("“Kater” becomes").selectOption("correct each row");
	await assertBothAccessible(page, "words in place of categories");
	await button(page, "New categories: all 3").click();
	await goOn(page, "Check");
	await page.getByLabel("Category in row 8: “Kater” is not a category").fill("KATZE");
	const lose = (route: Route) => (route.request().method() === "POST" ? route.abort() : route.continue());
	await page.route("**/console/categories", lose);
	await addAnimals(page, "5 animals", "The server does not answer. No animal was added.");
	takeOut(errors, /ERR_FAILED/);
	await page.unroute("**/console/categories");
	await addAnimals(page, "5 animals", "5 of 5 animals added");
	const before = await service.send({ path: "/console/categories" });
	const categories = JSON.parse(before.body).categories.map((one: { name: string }) => one.name);
	assert.deepEqual(categories, ["Hund", "Katze", "Vogel"]);
	const stored = async () => (await listAll(service.url, service.key)).map(describePet);
	const pets = ["Bello 1 –", "Mia 2 sold", "Rex 1 –", "Lora 3 sold", "Kit 2 –"];
	assert.deepEqual(await stored(), pets);
	await click(page, "Show the new animals", page.getByRole("row", { name: /Lora.*Vogel/ }));
	await page.goto(`${service.url}/console#/add-many`);
	await button(page, "Add another list").click();
	await choose(page, "bestand.xlsx", bytes);
	await holds("Tierart").selectOption("Category");
	await goOn(page, "Values");
	await page.getByLabel("“Kater” becomes").selectOption("Katze · 2");
	await goOn(page, "Check");
	await addAnimals(page, "5 animals", "0 of 5 animals added, 5 already there");
	assert.deepEqual([await stored(), (await service.send({ path: "/console/categories" })).body], [pets, before.body]);
});

test("a key that may not make categories gets a message, and can use existing categories", async (context) => {
	const { service, page } = await openAs(context, ["pets:read", "pets:write"]);
	await elsewhere(page, () => service.store.categories.apply([{ id: 7n, name: "Hund" }]));
	await page.reload();
	await choose(page, "tiere.csv", "Name,Tier\nRex,Hund\nMia,Wolf\nZoe,Hund\nIda,7\nTom,9\n");
	await goOn(page, "Values");
	await shows(page, /^This key may not create categories: it lacks the scope pets:edit\. /);
	assert.equal(await page.getByText("New category").count(), 0);
	await page.getByLabel("“Wolf” becomes").selectOption("Hund · 7");
	await goOn(page, "Check");
	await page.getByLabel("Category in row 6: No category has this number: enter its name").waitFor();
	await addAnimals(page, "4 animals", "4 of 4 animals added, 1 left out");
	const pets = (await listAll(service.url, service.key)).map(describePet);
	assert.deepEqual(pets, ["Rex 7 –", "Mia 7 –", "Zoe 7 –", "Ida 7 –"]);
});
