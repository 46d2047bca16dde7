// The web console in a real browser: helpers that start a service, open its console, and sign in and out.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Page, Request } from "playwright-core";
import type { Scope } from "../../src/contract/operations.ts";
import { createKey } from "../../src/keys/issue.ts";
import { hold, openPage, type PageOptions, settled, type Watched } from "../support/browser.ts";
import { revoke, type TestService, testService } from "../support/service.ts";
import { account, isSignedIn, isSignedOut } from "./page.ts";

/** Adds the order to a list that has none: most tests read animals in the order in which they were added. */
function oldestFirst(hash: string): string {
	if (hash !== "" && (!hash.startsWith("#/animals") || hash.includes("sort="))) return hash;
	return hash.includes("?") ? `${hash}&sort=id` : "#/animals?sort=id";
}

export interface ConsoleOptions {
	/** The view, such as `#/changes`. */
	hash?: string;
	page?: PageOptions;
	/** What is done before the console is opened. */
	before?: (page: Page) => Promise<unknown>;
}

/** Opens the console of the service at `url`. */
export async function openConsole(
	context: TestContext,
	url: string,
	{ hash = "", page: options }: ConsoleOptions = {},
): Promise<Watched> {
	const watched = await openPage(context, url, options);
	await watched.page.goto(`${url}/console${oldestFirst(hash)}`);
	return watched;
}

/** Opens the console of a service with a key that the tab has kept: so the page looks as after a sign-in and a reload. */
export async function signedIn(
	context: TestContext,
	{ url, key }: Pick<TestService, "url" | "key">,
	{ before, hash = "", page: options }: ConsoleOptions = {},
): Promise<Watched> {
	const watched = await openPage(context, url, options);
	await watched.page.addInitScript(keepOnce(key));
	await before?.(watched.page);
	await watched.page.goto(`${url}/console${oldestFirst(hash)}`);
	await isSignedIn(watched.page);
	return watched;
}

/** A script for each load of the page, which keeps the key at the first one. */
const keepOnce = (key: string) => `
if (location.protocol.startsWith("http") && sessionStorage.getItem("test.isKept") === null) {
	sessionStorage.setItem("test.isKept", "");
	sessionStorage.setItem("animal-store.key", '${JSON.stringify({ key, signOuts: "0" })}');
}`;

/** Starts a service with these animals, opens its console, signs in, and waits until the list shows animals. */
export async function opened(context: TestContext, names: string[], hash = "#/animals", options: ConsoleOptions = {}) {
	const service = await testService(context);
	await addPets(service, names);
	const page = { permissions: ["clipboard-read", "clipboard-write"], ...options.page };
	const watched = await signedIn(context, service, { ...options, hash, page });
	if (names.length > 0 && /^$|^#\/animals/.test(hash)) await listed(watched.page);
	return { service, ...watched };
}

const listed = (page: Page) => page.locator("tbody th.name").first().waitFor();

/** As `opened`, with a new key that has these scopes. */
export async function openAs(
	context: TestContext,
	scopes: Scope[],
	{ names = [], hash = "" }: { names?: string[]; hash?: string } = {},
) {
	const service = await testService(context);
	await addPets(service, names);
	const issued = await createKey(service.issuer, { name: "first", scopes });
	const watched = await signedIn(context, { ...service, key: issued.key }, { hash });
	if (names.length > 0) await listed(watched.page);
	return { service, issued, ...watched };
}

/** Opens another tab of the same browser. */
export async function newTab(page: Page, path = ""): Promise<Page> {
	const tab = await page.context().newPage();
	await tab.goto(`${new URL(page.url()).origin}/console${path}`);
	return tab;
}

const statuses = ["available", "pending", "sold"] as const;

/** Adds animals in this order, with the statuses in turn. */
export async function addPets({ store }: TestService, names: string[]): Promise<void> {
	const pets = names.map((name, at) => ({ name, categoryId: BigInt(1 + (at % 7)), status: statuses[at % 3] }));
	const rows = pets.map((pet, at) => ({ pet, idempotencyKey: { caller: "test", key: `${at}` } }));
	for (let from = 0; from < rows.length; from += 1000) await store.createPets(rows.slice(from, from + 1000));
}

/** The animals of most tests. */
export const names = ["Rex", "Luna", "Bella", "Otto", "Nala", "Zoë", "Kiwi"];
export const numbered = (count: number) => Array.from({ length: count }, (_, index) => `Animal ${index + 1}`);

export async function signIn(page: Page, key: string): Promise<void> {
	await page.getByLabel("API key").fill(key);
	await page.getByRole("button", { name: "Sign in" }).click();
	await isSignedIn(page);
}

/** Signs out through the account menu, which may ask a question first. */
export async function signOut(page: Page, question?: string): Promise<void> {
	if (!question) await settled(page);
	await account(page).click();
	await page.getByRole("button", { name: /^Sign out/ }).click();
	const dialog = page.getByRole("alertdialog", { name: question ?? "" });
	if (question) await dialog.getByRole("button", { name: "Sign out" }).click();
	await isSignedOut(page);
}

/**
 * Changes the store by other means than this page, when the page shows the store as it was. The page may just then ask
 * for the figures, which it does every 5 s: a test that this would disturb holds them.
 */
export async function elsewhere(page: Page, change: () => Promise<unknown>): Promise<void> {
	await settled(page);
	await change();
}

/** Revokes the key of the page, which learns of it by its next step, and not from the figures that it asks for. */
export async function revokeUnseen(page: Page, service: TestService, issued: { id: string; key: string }) {
	const when = (request: Request) => request.headers()["authorization"] === `Bearer ${issued.key}`;
	await hold(page, "**/console/activity", { when });
	await elsewhere(page, () => revoke(service, issued));
}

/** Stops the clock of the page. Effects of components do not run until `page.clock.resume()`. */
export async function pauseClock(page: Page): Promise<void> {
	// A minute ahead, because a busy machine may be slow to get there.
	await page.clock.pauseAt((await page.evaluate<number>("Date.now()")) + 60_000);
}

/** Removes the errors that a test expects, because the browser logs each failed reply. */
export function takeOut(errors: string[], expected: RegExp): void {
	assert.ok(errors.length > 0, `no error ${expected}`);
	for (const error of errors.splice(0)) assert.match(error, expected);
}

/** The name and status of each animal, in the order of ids. */
export async function petsOf({ send }: TestService): Promise<string[]> {
	const { body } = await send({ path: "/v1/pets?limit=100" });
	return JSON.parse(body).map(({ name, status }: { name: string; status?: string }) => `${name} ${status ?? "–"}`);
}
