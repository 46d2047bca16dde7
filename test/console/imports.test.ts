// Imports in the web console are interrupted by pauses, lost replies, other keys, reloads, a second import of the same
// file, and services that refuse.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import { createKey } from "../../src/keys/issue.ts";
import { hold, test } from "../support/browser.ts";
import { revoke, type TestService } from "../support/service.ts";
import { describePet } from "../support/spreadsheets.ts";
import { readPets } from "../support/store-reads.ts";
import { until } from "../support/until.ts";
import { assertBothAccessible } from "./accessible.ts";
import { addAnimals, addFile, choose, goOn, saved } from "./add-many.ts";
import { elsewhere, newTab, openAs, opened, signIn, signOut, takeOut } from "./console.ts";
import { account, button, focused, mayLeave, row } from "./page.ts";
import { click, command, follow, hit, reload, shows } from "./steps.ts";

const names = Array.from({ length: 2000 }, (_, at) => `Row ${at}`);
/** A file whose rows fill three batches. */
const rows = `name,categoryId,status\n${names.map((name) => `${name},1,available\n`).join("")}`;
const imports = "**/console/imports";

const petsIn = ({ store }: TestService) => readPets(store, { after: 0n, limit: 5000 });

async function namesIn(service: TestService): Promise<string[]> {
	return (await petsIn(service)).map(({ name }) => name);
}

/** Forwards the first batch. Holds the replies to later batches until `release`; `isStored` stores them before. */
async function holdReplies(page: Page, { isStored = false } = {}) {
	let sent = 0;
	const release = await hold(page, imports, { isStored, when: () => ++sent > 1 });
	return { release, sent: () => sent };
}

test("an import survives a pause, a lost reply and a revoked key: each row once, in order", async (context) => {
	const { service, page, errors, issued } = await openAs(context, ["pets:read", "pets:write"]);
	const held = await holdReplies(page);
	await addFile(page, "rows.csv", rows, "2,000 animals", /^\d{3} of 2,000 animals added$/);
	await click(page, "Pause", "Paused");
	await follow(page, "Animals", row(page, "Row 2"));
	await hit(page, "m", /^\d{3} of 2,000 animals added$/);
	await page.unroute(imports);
	await page.route(imports, async (route) => {
		await route.fetch();
		await revoke(service, issued);
		await route.abort();
		await page.unroute(imports);
	});
	held.release();
	await click(page, "Resume", "This key was revoked or has expired. Your draft is kept.");
	await signIn(page, service.key);
	await shows(page, "Paused: nothing is lost");
	await assertBothAccessible(page, "an import that paused by itself");
	await click(page, "Resume", page.getByText("2,000 of 2,000 animals added", { exact: true }));
	assert.deepEqual(await namesIn(service), names);
	takeOut(errors, /401|ERR_FAILED/);
});

test("signing out of an import under way asks first, and the next person finds nothing of it", async (context) => {
	const { service, page } = await opened(context, []);
	const { key: other } = await createKey(service.issuer, { name: "next person", scopes: ["pets:read", "pets:write"] });
	const { release, sent } = await holdReplies(page);
	await addFile(page, "rows.csv", rows.replace("\n", "\n,1\n"), "2,000 animals");
	await shows(page, /^\d{3} of 2,000 animals added, 1 left out$/);
	const dialog = page.getByRole("alertdialog", { name: "Sign out and end the import?" });
	await account(page).click();
	await button(page, "Sign out").click();
	await dialog.getByText(/^[\d,]+ of 2,000 animals in rows.csv are not added yet\./).waitFor();
	assert.equal(await focused(page), "Stay signed in", "Enter alone does not sign out");
	await assertBothAccessible(page, "signing out beside an import");
	await page.keyboard.press("Enter");
	await dialog.waitFor({ state: "detached" });
	await button(page, "Pause").click();
	assert.equal(await mayLeave(page), false, "the browser asks before a reload");
	await command(page, "sign out");
	await page.keyboard.press("Enter");
	await dialog.getByRole("button", { name: "Sign out" }).click();
	await page.getByLabel("API key").waitFor();
	release();
	await signIn(page, other);
	await shows(page, "Drop your list here");
	await reload(page, "Drop your list here");
	assert.equal(await page.getByText("rows.csv").count(), 0);
	assert.equal(await mayLeave(page), true);
	assert.equal(sent(), 2, "nothing is sent after signing out");
	await addFile(page, "more.csv", "name,categoryId\nMia,1\n", "1 animal", "1 of 1 animal added");
	await signOut(page);
	assert.deepEqual((await namesIn(service)).slice(-1), ["Mia"]);
});

test("signing out of the computer in another tab ends the import of this one", async (context) => {
	const { service, page } = await opened(context, []);
	await account(page).click();
	await button(page, "Stay signed in on this computer").click();
	await page.keyboard.press("Escape");
	const { release, sent } = await holdReplies(page);
	await addFile(page, "rows.csv", rows, "2,000 animals");
	await until("a second batch to be sent", () => sent() === 2);
	await signOut(await newTab(page));
	await shows(page, "You signed out of this computer in another tab.");
	release();
	await signIn(page, service.key);
	await shows(page, "Drop your list here");
	assert.equal(sent(), 2);
});

const mapped = names.map((name, at) => `${name};Hund;${at % 2 ? "weg" : ""}\n`).join("");

/** Chooses a file with columns and values of its own, says what they mean, and corrects a row. */
async function startMapped(page: Page, { hasCategory = false } = {}): Promise<void> {
	await choose(page, "rows.csv", `Tier;Was;Wo\n;1;\nIda;4-;\n${mapped}`);
	for (const [column, field] of Object.entries({ Tier: "name", Was: "categoryId", Wo: "status" }))
		await page.getByLabel(`Column ${column} holds`).selectOption(field);
	await goOn(page, "Values");
	await page.getByLabel("“weg” becomes").selectOption("sold");
	if (!hasCategory) await button(page, "New category: Hund").click();
	await goOn(page, "Check");
	await page.getByLabel("Category in row 3: A category is a whole number, such as 4").fill("4");
	await addAnimals(page, "2,001 animals");
}

/** @param script runs before the page's own scripts */
async function importAgainAfterReload(context: TestContext, script = ""): Promise<void> {
	const { service, page } = await opened(context, []);
	await page.addInitScript(script);
	await page.reload();
	const { release } = await holdReplies(page, { isStored: true });
	await startMapped(page);
	await shows(page, /^\d{3} of 2,001 animals added, 1 left out$/);
	let asked = 0;
	page.on("dialog", (dialog) => {
		asked++;
		void dialog.accept();
	});
	await until("a second batch is stored", async () => (await namesIn(service)).length > 1000);
	await page.reload();
	assert.equal(asked, 1, "the browser asks");
	// The route stays: while a route is removed, the browser may lose a request.
	release();
	await shows(page, "Drop your list here");
	const there = (await namesIn(service)).length;
	await startMapped(page, { hasCategory: true });
	const counts = `${2001 - there} of 2,001 animals added, ${there.toLocaleString("en")} already there, 1 left out`;
	await page.getByText(counts, { exact: true }).waitFor();
	assert.match(await saved(page, "Save the row as a file"), /^\ufeffline;reason;Tier;Was;Wo\n2;Enter a name;;1;\n$/);
	const pets = (await petsIn(service)).map(describePet);
	assert.deepEqual(pets, ["Ida 4 –", ...names.map((name, at) => `${name} 1 ${at % 2 ? "sold" : "–"}`)]);
	await page.reload();
	assert.equal(asked, 1, "an import that is finished is not asked about");
}

test("the browser asks before a reload of an import; then the same file adds the missing rows", (context) =>
	importAgainAfterReload(context));

test("over plain http, too, the same file adds the missing rows after a reload", (context) =>
	importAgainAfterReload(context, 'Object.defineProperty(Crypto.prototype, "subtle", { value: undefined })'));

test("rows that were there are added once more on request, even with lost replies", async (context) => {
	const { service, page, errors } = await opened(context, []);
	const held = await holdReplies(page);
	await addFile(page, "rows.csv", rows, "2,000 animals", /^\d{3} of 2,000 animals added$/);
	await button(page, "Pause").click();
	held.release();
	await until("two batches", async () => (await namesIn(service)).length > 1000);
	await button(page, "Discard the rest").click();
	await page.unroute(imports);
	const count = (await namesIn(service)).length;
	const first = count.toLocaleString("en");
	await addFile(page, "rows.csv", rows, "2,000 animals");
	const counted = `${2000 - count} of 2,000 animals added, ${first} already there`;
	await page.getByText(counted, { exact: true }).waitFor();
	await shows(page, /^This file was imported today at \d+:\d\d by .+: nothing was added twice\.$/);
	await assertBothAccessible(page, "rows that were there");
	assert.deepEqual(await namesIn(service), names);
	let lost = 0;
	await page.route(imports, async (route) => {
		await route.fetch();
		lost++;
		await route.abort();
	});
	await addAnimals(page, `${first} animals again`);
	await until("a lost reply and a repeat", () => lost > 1);
	await page.unroute(imports);
	await page.getByText(`${first} of ${first} animals added`, { exact: true }).waitFor();
	assert.deepEqual(await namesIn(service), [...names, ...names.slice(0, count)]);
	await button(page, "Add another list").click();
	await addFile(page, "rows.csv", rows, "2,000 animals", "0 of 2,000 animals added, 2,000 already there");
	takeOut(errors, /ERR_FAILED/);
});

test("rows that were added with other values, or removed since, are left out with their ids", async (context) => {
	const { service, page } = await opened(context, []);
	const text = "name,other,categoryId\nRex,Max,1\nMia,Mia,2\nZoe,Zoe,3\n";
	await addFile(page, "rows.csv", text, "3 animals", "3 of 3 animals added");
	await button(page, "Add another list").click();
	await elsewhere(page, () => service.store.edits.apply({ petId: 2n, editor: "Ann", action: "remove" }));
	await choose(page, "rows.csv", text);
	await page.getByLabel("Column name holds").selectOption("");
	await page.getByLabel("Column other holds").selectOption("name");
	await goOn(page, "Check");
	await addAnimals(page, "3 animals", "0 of 3 animals added, 1 already there, 2 left out");
	await shows(page, "Already there with other values: animal 1 · 1 row");
	await shows(page, "Added before, and removed since: animal 2 · 1 row");
	await assertBothAccessible(page, "rows that are there with other values");
	const file = await saved(page, "Save the 2 rows as a file");
	assert.match(file, /^\ufeffline,reason,name,other,categoryId\n2,Already there .*: animal 1,Rex,Max,1\n3,/);
	await button(page, "Add another list").click();
	await addFile(page, "rows.csv.rejected.csv", file, "2 animals");
	await shows(page, /^1 of 2 animals is already there \(Rex\), added today .* from rows\.csv\.$/);
	await click(page, "Add them again", "2 of 2 animals added");
	assert.deepEqual(await namesIn(service), ["Rex", "Zoe", "Rex", "Mia"]);
});

test("a server that is unreachable for long pauses an import; after a day, it cannot be resumed", async (context) => {
	const { service, page, errors } = await opened(context, [], "", { before: (page) => page.clock.install() });
	const pauses = async () => {
		await shows(page, "Adding …"); // Until then, time would end the requests before the import.
		await until("the pause", async () => {
			await page.clock.fastForward(60_000);
			return page.getByText("Paused: nothing is lost").isVisible();
		});
	};
	await page.route(imports, (route) => route.abort());
	await addFile(page, "rows.csv", rows, "2,000 animals");
	await pauses();
	await shows(page, "The server does not answer. Resume continues with the other rows; none is added twice.");
	const refusal = { code: "insufficient_scope", message: "the key lacks the scope pets:write", status: 403 };
	await page.unroute(imports);
	await page.route(imports, (route) => route.fulfill({ status: 403, json: refusal }));
	await button(page, "Resume").click();
	await shows(page, "The key lacks the scope pets:write. Resume continues with the other rows; none is added twice.");
	await page.unroute(imports);
	await click(page, "Resume", "2,000 of 2,000 animals added");
	assert.deepEqual(await namesIn(service), names);
	await button(page, "Add another list").click();
	await page.route(imports, (route) => route.abort());
	await addFile(page, "more.csv", "name,categoryId\nMia,1\n", "1 animal");
	await pauses();
	await page.clock.fastForward(24 * 3_600_000);
	await click(page, "Resume", "Stopped");
	const twice = "some rows could be added twice: look at the newest animals, and import the missing rows as a new file";
	await shows(page, new RegExp(twice, "i"));
	assert.equal(await button(page, "Resume").count(), 0);
	takeOut(errors, /ERR_FAILED|403/);
});
