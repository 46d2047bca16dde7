// The web console during faults: a revoked key, a server that is down, a slow server.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Route } from "playwright-core";
import type { Scope } from "../../src/contract/operations.ts";
import { keyFromRandom } from "../../src/keys/formats.ts";
import { hold, test } from "../support/browser.ts";
import { listAll } from "../support/ledger.ts";
import { startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/service.ts";
import { addFile, choose, goOn } from "./add-many.ts";
import { newTab, openAs, opened, revokeUnseen, signedIn, signIn, takeOut } from "./console.ts";
import { button, isSignedIn, namesOn, row } from "./page.ts";
import { click, fillIn, hit, shows } from "./steps.ts";

const scopes: Scope[] = ["pets:read", "pets:write"];

test("revoking the key while the console is open returns to sign-in, and the input is preserved", async (context) => {
	const { service, page, errors, issued } = await openAs(context, scopes, { hash: "#/animals?limit=50" });
	await button(page, "Add animal").click();
	await fillIn(page, "Rex", "7");
	await revokeUnseen(page, service, issued);
	await click(page, "Add", "This key was revoked or has expired. Your draft is kept.");
	takeOut(errors, /401/);
	await signIn(page, service.key);
	assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Rex");
	await click(page, "Add", row(page, "Rex"));
	assert.match(page.url(), /limit=50/);
});

test("while the server is down rows and chart stay; after its return an animal is added once", async (context) => {
	const API_KEY = keyFromRandom(randomBytes(32));
	const environment = { DATABASE_URL: `sqlite:${join(temporaryFolder(context), "animals.db")}`, API_KEY };
	const first = await startProgram(context, environment);
	const { page, errors } = await signedIn(context, { url: first.url, key: API_KEY });
	await button(page, "Add the first animal").click();
	await fillIn(page, "Luna", "7");
	await hit(page, "Enter", row(page, "Luna"));
	const activity = await newTab(page, "#/server");
	await signIn(activity, API_KEY);
	await activity.getByText(/^This minute: /).waitFor();
	const bodies = new Set<string | null>();
	page.on("request", (request) => request.method() === "POST" && bodies.add(request.postData()));
	await first.stop();
	await fillIn(page, "Rex", "7");
	await click(page, "Add", "It is not known whether the animal was added.");
	const banner = page.locator(".banner");
	await banner.getByText(/The server does not answer\. These rows are from \d\d:\d\d:\d\d\./).waitFor();
	await banner.getByText(/Next try in \d+ s\./).waitFor();
	assert.deepEqual(await namesOn(page), ["Luna"]);
	await activity.locator(".banner").getByText("The server does not answer.").waitFor();
	assert.equal(await activity.getByText(/^This minute: /).count(), 1);
	const second = await startProgram(context, { ...environment, PORT: new URL(first.url).port });
	await banner.waitFor({ state: "detached" });
	await activity.locator(".banner").waitFor({ state: "detached" });
	await click(page, "Add", row(page, "Rex"));
	assert.deepEqual(await namesOn(page), ["Luna", "Rex"]);
	assert.equal(bodies.size, 1, "the same key");
	takeOut(errors, /ERR_CONNECTION_REFUSED|503/);
	for (const tab of [page, activity]) await tab.close();
	await second.stop();
});

test("an animal whose reply was lost is added once, even after a refusal and with another key", async (context) => {
	const { service, page, errors, issued } = await openAs(context, scopes);
	const refusal = { code: "rate_limited", message: "too many requests", status: 429 };
	let what: "garble" | "lose" | "refuse" | "pass" = "garble";
	await page.route("**/console/imports", async (route) => {
		if (what === "refuse") return route.fulfill({ status: 429, json: refusal, headers: { "retry-after": "60" } });
		if (what === "pass") return route.continue();
		await route.fetch();
		return what === "garble" ? route.fulfill({ body: "<p>Welcome</p>", contentType: "text/html" }) : route.abort();
	});
	await button(page, "Add animal").click();
	await fillIn(page, "Rex", "7");
	await click(page, "Add", "It is not known whether the animal was added.");
	what = "lose";
	await click(page, "Add", "The server does not answer. It is not known whether the animal was added.");
	what = "refuse";
	await click(page, "Add", "Too many requests with this key. It is not known whether the animal was added.");
	what = "pass";
	await revokeUnseen(page, service, issued);
	await click(page, "Add", "This key was revoked or has expired. Your draft is kept.");
	await signIn(page, service.key);
	await click(page, "Add", "Ready for the next one.");
	assert.equal((await listAll(service.url, service.key)).length, 1);
	takeOut(errors, /ERR_FAILED|429|401/);
});

test("a server without imports is named, the input stays; rows whose reply was lost are added", async (context) => {
	const { page, errors } = await opened(context, []);
	await page.route("**/console/imports", (route) => route.fulfill({ status: 404, body: "not found" }));
	const sentence = "This server accepts no imports: it is too old, or a proxy blocks /console/imports.";
	await button(page, "Add animal").click();
	await fillIn(page, "Rex", "7");
	await click(page, "Add", "The animal was not added");
	assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Rex");
	await addFile(page, "rows.csv", "name,categoryId\nMia,1\n", "1 animal");
	await shows(page, `${sentence} Resume continues with the other rows; none is added twice.`);
	await page.unroute("**/console/imports");
	await click(page, "Resume", "1 of 1 animal added");
	takeOut(errors, /404/);
	// Rows whose reply is lost count as added, even if the browser's clock is ahead.
	await button(page, "Add another list").click();
	await page.addInitScript("{ const now = Date.now; Date.now = () => now() + 60_000; }");
	await page.reload();
	await isSignedIn(page);
	const lose = async (route: Route) => {
		await route.fetch();
		await route.abort();
	};
	await page.route("**/console/imports", lose, { times: 1 });
	await addFile(page, "more.csv", "name,categoryId\nZoe,1\n", "1 animal");
	await page.getByText("1 of 1 animal added", { exact: true }).waitFor();
	takeOut(errors, /ERR_FAILED/);
});

test("a file needs names of categories only for its words; a list that a proxy blocks has none", async (context) => {
	const { page, errors } = await opened(context, []);
	await page.route("**/console/categories", (route) => route.fulfill({ status: 404, body: "not found" }));
	const reply = await hold(page, "**/console/categories");
	await page.reload();
	await choose(page, "numbers.csv", "name,categoryId\nMia,1\n");
	await goOn(page, "Check");
	for (const _ of ["Columns", "File"]) await button(page, "Back").click();
	await choose(page, "words.csv", "name,categoryId\nMia,Dog\n");
	await shows(page, "1 animal below the names");
	assert.equal(await button(page, "Continue").getAttribute("aria-disabled"), "true");
	reply();
	await goOn(page, "Values");
	await page.getByLabel("“Dog” becomes").selectOption("New category: Dog");
	await goOn(page, "Check");
	takeOut(errors, /404/);
});

test("a slow reply shows a progress indicator, and leaving the view aborts the request", async (context) => {
	const { page } = await opened(context, ["Rex"]);
	const release = await hold(page, "**/v1/pets?*");
	await click(page, "Refresh", "Loading …");
	await shows(page, "The server is slow to answer. Still waiting …");
	assert.deepEqual(await namesOn(page), ["Rex"], "the rows stay readable");
	release();
	await page.getByText("Still waiting").waitFor({ state: "detached" });
	await hold(page, "**/v1/pets?*");
	const asked = page.waitForRequest("**/v1/pets?*");
	await button(page, "Refresh").click();
	await asked;
	const ended = page.waitForEvent("requestfailed");
	await page.getByRole("link", { name: "Changes" }).click();
	assert.match((await ended).failure()?.errorText ?? "", /ABORTED/);
	await page.close();
});
