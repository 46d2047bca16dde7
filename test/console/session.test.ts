// The session of the web console: a reload and a deep link keep the key, tabs share the key of this computer, and many
// events end the session.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { hold, test } from "../support/browser.ts";
import { testService } from "../support/service.ts";
import { assertBothAccessible } from "./accessible.ts";
import { addAnimals, addFile, choose, goOn } from "./add-many.ts";
import { newTab, openAs, openConsole, opened, petsOf, revokeUnseen, signIn, signOut, takeOut } from "./console.ts";
import { account, button, focused, isSignedIn, isSignedOut, panel, row } from "./page.ts";
import { click, fillIn, follow, reload, shows } from "./steps.ts";

const stored = (page: Page) =>
	page.evaluate<{ tab: string; computer: string }>(
		"({ tab: JSON.stringify(sessionStorage), computer: JSON.stringify(localStorage) })",
	);

test("a reload and a deep link keep the key of a tab, which no other tab has", async (context) => {
	const { service, page } = await opened(context, ["Rex", "Mia"]);
	await reload(page, row(page, "Rex"));
	await page.goto(`${service.url}/console#/animals?id=2&sort=id`);
	await reload(page, panel(page, "Mia"));
	const second = await newTab(page, "#/changes");
	await isSignedOut(second);
	await signIn(second, service.key);
	await second.getByRole("heading", { name: "Changes" }).waitFor();
	for (const tab of [page, second]) {
		const { tab: inTab, computer } = await stored(tab);
		assert.ok(inTab.includes(service.key) && !computer.includes(service.key) && !tab.url().includes(service.key));
	}
	await signOut(second);
	assert.ok(!JSON.stringify(await stored(second)).includes(service.key));
	await click(page, "Refresh", row(page, "Rex"));
	await reload(page, row(page, "Rex"));
	await second.reload();
	await isSignedOut(second);
});

test("tabs share the key of this computer; signing out of it ends them, and no tab with its own", async (context) => {
	const { service, page } = await opened(context, ["Rex"]);
	const alone = await newTab(page);
	await signIn(alone, service.key);
	await account(page).click();
	await button(page, "Stay signed in on this computer").click();
	await page.keyboard.press("Escape");
	const [second, asleep] = [await newTab(page), await newTab(page)];
	for (const tab of [second, asleep]) await isSignedIn(tab);
	// A page without scripts notices nothing, like a tab that the browser has unloaded.
	await asleep.goto(`${service.url}/console/icon.svg`);
	await signOut(second);
	await shows(page, "You signed out of this computer in another tab.");
	await asleep.goto(`${service.url}/console`);
	for (const tab of [page, second, asleep]) {
		await isSignedOut(tab);
		assert.ok(!JSON.stringify(await stored(tab)).includes(service.key));
	}
	await reload(alone, row(alone, "Rex"));
});

/** Holds each POST to this address. @returns a function that lets them pass, and waits for the reply to one */
async function holdPost(page: Page, address: string): Promise<() => Promise<void>> {
	const release = await hold(page, address, { when: (request) => request.method() === "POST" });
	return async () => {
		const reply = page.waitForResponse((response) => response.request().method() === "POST");
		release();
		await (await reply).finished();
	};
}

test("a reply after the sign-out shows nothing to the next user, and starts no import", async (context) => {
	const { service, page, errors } = await opened(context, []);
	await button(page, "Add animal").click();
	await fillIn(page, "Rex", "7");
	const release = await holdPost(page, "**/console/imports");
	await button(page, "Add").click();
	await signOut(page);
	await signIn(page, service.key);
	await release();
	assert.equal(await page.locator(".panel").count(), 0);
	await click(page, "Add animal", "Enter adds the animal.");
	assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "");
	assert.equal(await page.getByText("Added Rex").count(), 0);
	await choose(page, "rows.csv", "name,category\nMia,Dog\n");
	await goOn(page, "Values");
	await page.getByLabel("“Dog” becomes").selectOption("New category: Dog");
	await goOn(page, "Check");
	const releaseCategory = await holdPost(page, "**/console/categories");
	// The rows of earlier imports are asked for before.
	const isSent = page.waitForRequest((request) => request.method() === "POST");
	await addAnimals(page, "1 animal");
	await isSent;
	await page.getByRole("link", { name: "Animals", exact: true }).click();
	await click(page, page.getByRole("link", { name: "Add many" }), button(page, "Add 1 animal"));
	await signOut(page);
	await signIn(page, service.key);
	await releaseCategory();
	await addFile(page, "own.csv", "name,category\nTim,1\n", "1 animal", "1 of 1 animal added");
	assert.deepEqual(await petsOf(service), ["Rex –", "Tim –"]);
	assert.deepEqual(errors, []);
});

test("a key for this computer outlives its tabs, and ends after 12 hours", async (context) => {
	const { service, page } = await opened(context, ["Rex"]);
	await signOut(page);
	await page.getByLabel("On this computer").check();
	await signIn(page, service.key);
	const { tab, computer } = await stored(page);
	assert.ok(!tab.includes(service.key) && computer.includes(service.key));
	await page.goto("about:blank");
	const later = await page.context().newPage();
	const hours = 3_600_000;
	await later.clock.install();
	await later.clock.fastForward(11 * hours);
	await later.goto(`${service.url}/console`);
	await row(later, "Rex").waitFor();
	await click(later, account(later), /^Signed in on this computer until /);
	await later.clock.fastForward(hours);
	await later.getByText("You were signed in on this computer for 12 hours. Sign in again.", { exact: true }).waitFor();
	assert.ok(!(await stored(later)).computer.includes(service.key));
	await later.reload();
	await isSignedOut(later);
});

test("the account menu shows and copies the key, and changes where it is kept", async (context) => {
	const { service, page } = await opened(context, ["Rex", "Mia"], "#/animals?name=rex");
	let reads = 0;
	page.on("request", (request) => /console\/find|v1\/pets/.test(request.url()) && reads++);
	await account(page).click();
	await shows(page, "This key may see, add, change, and remove animals, and show the figures of the server.");
	await button(page, "Show the key").click();
	assert.equal(await page.getByLabel("The key, copied").inputValue(), service.key);
	assert.equal(await page.evaluate("navigator.clipboard.readText()"), service.key);
	await assertBothAccessible(page, "the key that is shown");
	await click(page, "Stay signed in on this computer", /^Signed in on this computer until /);
	assert.equal(await focused(page), "Stay signed in for this tab only");
	await page.keyboard.press("ArrowDown");
	assert.equal(await focused(page), "Sign out of this computer");
	const field = page.getByLabel("The key, copied");
	await field.press("ArrowUp");
	assert.ok(await field.evaluate((element) => element.matches(":focus")), "in a field, arrows move the cursor");
	await page.locator(".sheet").focus();
	await page.keyboard.press("ArrowUp");
	assert.equal(await focused(page), "Sign out of this computer");
	const kept = await stored(page);
	assert.ok(!kept.tab.includes(service.key) && kept.computer.includes(service.key));
	const second = await newTab(page);
	await row(second, "Mia").waitFor();
	await page.keyboard.press("Escape");
	assert.equal(await page.getByLabel("The key, copied").count(), 0);
	assert.match(await page.evaluate("document.activeElement.ariaLabel"), /^Account: /);
	await page.evaluate("navigator.clipboard.writeText = () => new Promise((done) => { globalThis.copy = done; })");
	const menu = account(page);
	await menu.click();
	await click(page, "Show the key", page.getByLabel("The key", { exact: true }));
	await page.keyboard.press("Escape");
	await page.evaluate("globalThis.copy()");
	await menu.click();
	await button(page, "Show the key").waitFor();
	assert.equal(await page.getByLabel(/^The key/).count(), 0, "a copy that ends late shows nothing");
	await page.keyboard.press("Escape");
	await click(page, account(page), /^Signed in on this computer until /);
	await click(page, "Stay signed in for this tab only", /^Signed in for this tab/);
	await shows(second, "You signed out of this computer in another tab.");
	const { tab, computer } = await stored(page);
	assert.ok(tab.includes(service.key) && !computer.includes(service.key));
	assert.equal(reads, 0);
});

test("a key that is over or belongs to a clock that was set back is not used", async (context) => {
	const service = await testService(context);
	const { page } = await openConsole(context, service.url);
	const untils = [-1, 13].map((hours) => Date.now() + hours * 3_600_000);
	const keys = untils.map((untilMs) => JSON.stringify({ key: service.key, signOuts: "0", untilMs }));
	for (const kept of [...keys, '{"key":7,"signOuts":"0"}', "{"]) {
		await page.evaluate(`localStorage.setItem("animal-store.key", ${JSON.stringify(kept)})`);
		await page.reload();
		await isSignedOut(page);
		assert.equal(await page.evaluate('localStorage.getItem("animal-store.key")'), null);
	}
});

test("a tab deletes a key that is refused, and leaves a working one of this computer alone", async (context) => {
	const { service, page, errors, issued: gone } = await openAs(context, ["pets:read"], { names: ["Rex"] });
	const second = await newTab(page);
	await second.getByLabel("On this computer").check();
	await signIn(second, service.key);
	await revokeUnseen(page, service, gone);
	await click(page, "Refresh", page.getByText("This key was revoked or has expired.", { exact: true }));
	assert.ok(!(await stored(page)).tab.includes(gone.key));
	assert.ok((await stored(page)).computer.includes(service.key));
	takeOut(errors, /401/);
});

test("an address without a view leads to the animals; a reload without a server keeps the key", async (context) => {
	const { page, errors } = await opened(context, ["Rex"], "#/animols");
	await page.getByRole("heading", { name: "Nothing is at this address" }).waitFor();
	await follow(page, "Show the animals", row(page, "Rex"));
	await page.route("**/console/key", (route) => route.abort());
	await reload(page, "The server does not answer. Reload this page to try again.");
	await page.unroute("**/console/key");
	await reload(page, row(page, "Rex"));
	takeOut(errors, /ERR_FAILED/);
});
