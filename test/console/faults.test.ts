// The web console during faults: a revoked key, a server that is down, a slow server.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { keyFromRandom } from "../../src/keys/formats.ts";
import { createKey } from "../../src/keys/issue.ts";
import { screenshot, test } from "../support/browser.ts";
import { startProgram } from "../support/program.ts";
import { create, revoke, temporaryFolder, testService } from "../support/service.ts";
import { assertBothAccessible, button, namesOn, openConsole, opened, row, shows, signIn, takeOut } from "./console.ts";

test("revoking the key while the console is open returns to sign-in, and the input is preserved", async (context) => {
	const service = await testService(context);
	const other = await createKey(service.issuer, { name: "gone soon", scopes: ["pets:read", "pets:write"] });
	const { page, errors } = await openConsole(context, service.url, { hash: "#/animals?limit=50" });
	await signIn(page, other.key);
	await button(page, "Add animal").click();
	await page.getByLabel("Name", { exact: true }).fill("Rex");
	await page.getByLabel("Category id").fill("7");
	await revoke(service, other);
	await button(page, "Add").click();
	await shows(page, "This key was revoked or has expired. Your draft is kept.");
	takeOut(errors, /401/);
	await signIn(page, service.key);
	assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Rex");
	await button(page, "Add").click();
	await row(page, "Rex").waitFor();
	assert.match(page.url(), /limit=50/);
});

test("while the server is down the rows stay, and after its return the console continues by itself and adds once", async (context) => {
	const API_KEY = keyFromRandom(randomBytes(32));
	const environment = { DATABASE_URL: `sqlite:${join(temporaryFolder(context), "animals.db")}`, API_KEY };
	const first = await startProgram(context, environment);
	const { page, errors } = await openConsole(context, first.url);
	await signIn(page, API_KEY);
	await button(page, "Add the first animal").click();
	await page.getByLabel("Name", { exact: true }).fill("Luna");
	await page.getByLabel("Category id").fill("7");
	await page.keyboard.press("Enter");
	await row(page, "Luna").waitFor();
	const keys = new Set<string | undefined>();
	page.on("request", (request) => request.method() === "POST" && keys.add(request.headers()["idempotency-key"]));
	await first.stop();
	await page.getByLabel("Name", { exact: true }).fill("Rex");
	await page.getByLabel("Category id").fill("7");
	await button(page, "Add").click();
	await shows(page, "It is not known whether the animal was added.");
	const banner = page.locator(".banner");
	await banner.getByText(/The server does not answer\. These rows are from \d\d:\d\d:\d\d\./).waitFor();
	await banner.getByText(/Next try in \d+ s\./).waitFor();
	assert.deepEqual(await namesOn(page), ["Luna"]);
	const second = await startProgram(context, { ...environment, PORT: new URL(first.url).port });
	await banner.waitFor({ state: "detached" });
	await button(page, "Add").click();
	await row(page, "Rex").waitFor();
	assert.deepEqual(await namesOn(page), ["Luna", "Rex"]);
	assert.equal(keys.size, 1);
	assert.match([...keys][0] ?? "", /^[0-9a-f]{32}$/);
	takeOut(errors, /ERR_CONNECTION_REFUSED|503/);
	await page.close();
	await second.stop();
});

test("too many requests: the rows stay, and a countdown leads to the next try", async (context) => {
	const { page, errors } = await opened(context, ["Rex"]);
	await row(page, "Rex").waitFor();
	const refusal = { code: "rate_limited", message: "too many requests", status: 429 };
	let isRefusing = true;
	await page.route("**/v1/pets?*", (route) =>
		isRefusing ? route.fulfill({ status: 429, json: refusal, headers: { "retry-after": "7" } }) : route.continue(),
	);
	await button(page, "Refresh").click();
	const banner = page.locator(".banner");
	await banner.getByText("Too many requests with this key.").waitFor();
	await banner.getByText(/Next try in [67] s\./).waitFor();
	assert.deepEqual(await namesOn(page), ["Rex"]);
	isRefusing = false;
	await banner.getByRole("button", { name: "Try now" }).click();
	await banner.waitFor({ state: "detached" });
	takeOut(errors, /429/);
});

test("an animal whose reply was lost is added once, even if a retry is refused before one succeeds", async (context) => {
	const { page, errors } = await opened(context, []);
	await button(page, "Add animal").click();
	const refusal = { code: "rate_limited", message: "too many requests", status: 429 };
	let what: "lose" | "refuse" | "pass" = "lose";
	await page.route("**/v1/pets", async (route) => {
		if (what === "refuse") return route.fulfill({ status: 429, json: refusal, headers: { "retry-after": "60" } });
		if (what === "pass") return route.continue();
		await route.fetch();
		await route.abort();
	});
	await page.getByLabel("Name", { exact: true }).fill("Rex");
	await page.getByLabel("Category id").fill("7");
	await button(page, "Add").click();
	await shows(page, "It is not known whether the animal was added.");
	what = "refuse";
	await button(page, "Add").click();
	await shows(page, "Too many requests with this key. It is not known whether the animal was added.");
	what = "pass";
	await button(page, "Add").click();
	await row(page, "Rex").waitFor();
	assert.equal((await namesOn(page)).length, 1);
	takeOut(errors, /ERR_FAILED|429/);
});

test("an animal whose reply was lost is looked up under another key, and is added again only if it was not found", async (context) => {
	const service = await testService(context);
	const scopes = ["pets:read", "pets:write"];
	const [first, second] = await Promise.all(
		["first", "second"].map((name) => createKey(service.issuer, { name, scopes })),
	);
	assert.ok(first && second);
	await service.send(create({ name: "Rex", categoryId: 7 }));
	const { page, errors } = await openConsole(context, service.url);
	await page.clock.install();
	await signIn(page, first.key);
	let what: "pass" | "lose" | "stop" = "lose";
	await page.route("**/v1/pets", async (route) => {
		if (what === "pass") return route.continue();
		if (what === "lose") await route.fetch();
		await route.abort();
	});
	await button(page, "Add animal").click();
	async function loseAndRevoke(used: { id: string; key: string }, next: string): Promise<void> {
		await page.getByLabel("Name", { exact: true }).fill("Rex");
		await page.getByLabel("Category id").fill("7");
		await button(page, "Add").click();
		await shows(page, "It is not known whether the animal was added.");
		what = "pass";
		await revoke(service, used);
		await button(page, "Add").click();
		await shows(page, "This key was revoked or has expired. Your draft is kept.");
		await signIn(page, next);
		await button(page, "Add").click();
		await shows(page, /^The other key got no reply\. In \d+ s it is certain what was added\. Press “Add” then\./);
		await page.clock.fastForward(70_000);
		await button(page, "Add").click();
	}
	const stored = async () => JSON.parse((await service.send({ path: "/v1/pets" })).body).length;
	await loseAndRevoke(first, second.key);
	await shows(page, "Ready for the next one.");
	assert.equal(await stored(), 2);
	what = "stop";
	await loseAndRevoke(second, service.key);
	await shows(page, "The animal was not found");
	assert.equal(await stored(), 2, "nothing is sent before the decision");
	await assertBothAccessible(page, "an animal that was not found");
	await screenshot(page, "console-not-found");
	await button(page, "Add").click();
	await shows(page, "Ready for the next one.");
	assert.equal(await stored(), 3);
	takeOut(errors, /ERR_FAILED|401/);
});

test("a slow reply shows a progress indicator, and leaving the view aborts the request", async (context) => {
	const { page } = await opened(context, ["Rex"]);
	await row(page, "Rex").waitFor();
	const { promise: released, resolve: release } = Promise.withResolvers<void>();
	context.after(() => release());
	await page.route("**/v1/pets?*", (route) => released.then(() => route.continue()).catch(() => {}));
	await button(page, "Refresh").click();
	await shows(page, "Loading …");
	await shows(page, "The server is slow to answer. Still waiting …");
	assert.deepEqual(await namesOn(page), ["Rex"], "the rows stay readable");
	release();
	await page.getByText("Still waiting").waitFor({ state: "detached" });
	await page.route("**/v1/pets?*", () => {});
	const asked = page.waitForRequest("**/v1/pets?*");
	await button(page, "Refresh").click();
	await asked;
	const ended = page.waitForEvent("requestfailed");
	await page.getByRole("link", { name: "Activity" }).click();
	assert.match((await ended).failure()?.errorText ?? "", /ABORTED/);
	await page.close();
});
