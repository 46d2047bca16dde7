// The web console in a real browser: helpers that open it, sign in, and check its accessibility.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { TestContext } from "node:test";
import type { AxeResults } from "axe-core";
import type { Download, Page } from "playwright-core";
import type { Scope } from "../../src/contract/operations.ts";
import { createKey } from "../../src/keys/issue.ts";
import { openPage, type PageOptions, settled, type Watched } from "../support/browser.ts";
import { type TestService, testService } from "../support/service.ts";

/** Adds the order to a list that has none: most tests read animals in the order in which they were added. */
export function oldestFirst(hash: string): string {
	if (hash !== "" && (!hash.startsWith("#/animals") || hash.includes("sort="))) return hash;
	return hash.includes("?") ? `${hash}&sort=id` : "#/animals?sort=id";
}

export interface ConsoleOptions {
	/** The view, such as `#/activity`. */
	hash?: string;
	page?: PageOptions;
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

/** Starts a service with these animals, opens its console and signs in. */
export async function opened(
	context: TestContext,
	names: string[],
	hash = "#/animals",
): Promise<Watched & { service: TestService }> {
	const service = await testService(context);
	await addPets(service, names);
	const page = { permissions: ["clipboard-read", "clipboard-write"] };
	const watched = await openConsole(context, service.url, { hash, page });
	await signIn(watched.page, service.key);
	return { service, ...watched };
}

const statuses = ["available", "pending", "sold"] as const;

/** Adds animals in this order, with the statuses in turn. */
export async function addPets({ store }: TestService, names: string[]): Promise<void> {
	const pets = names.map((name, at) => ({ name, categoryId: BigInt(1 + (at % 7)), status: statuses[at % 3] }));
	await store.createPets(pets.map((pet, at) => ({ pet, idempotencyKey: { caller: "test", key: `${at}` } })));
}

/** The animals of most tests. The functions below find parts of the page. */
export const names = ["Rex", "Luna", "Bella", "Otto", "Nala", "Zoë", "Kiwi"];
export const panel = (page: Page, name: string) => page.getByRole("complementary", { name, exact: true });
export const inTable = (page: Page, text: string) =>
	page.locator("tbody").getByRole("button", { name: `Status of ${text}` });
export const toast = (page: Page) => page.locator(".toast p");
export const focused = (page: Page) => page.evaluate<string>("document.activeElement.innerText");
export const isSignedIn = (page: Page) => account(page).waitFor();
export const account = (page: Page) => page.getByRole("button", { name: /^Account: / });

export async function press(page: Page, ...keys: string[]): Promise<void> {
	for (const key of keys) await page.keyboard.press(key);
}

export async function sell(page: Page, text: string): Promise<void> {
	await settled(page);
	await inTable(page, text).click();
	await page.getByRole("menu").waitFor();
	await page.keyboard.press("s");
}

/** Opens the palette and types a text. */
export async function command(page: Page, text = ""): Promise<void> {
	await page.keyboard.press("Control+k");
	await page.getByRole("combobox", { name: "Command, name or id" }).fill(text);
}

/** Fills in the form that adds an animal. */
export async function fillIn(page: Page, name: string, category: string): Promise<void> {
	await page.getByLabel("Name", { exact: true }).fill(name);
	await page.getByLabel("Category", { exact: true }).fill(category);
}

/** Clicks the button that saves a file. @returns the text of the file */
export async function saved(page: Page, label: string): Promise<string> {
	const download = page.waitForEvent("download");
	await button(page, label).click();
	return textOf(download);
}

/** Opens the console and signs in with a new key that has these scopes. */
export async function openAs(
	context: TestContext,
	service: TestService,
	scopes: Scope[],
	{ name = "first", ...options }: ConsoleOptions & { name?: string } = {},
) {
	const issued = await createKey(service.issuer, { name, scopes });
	const watched = await openConsole(context, service.url, options);
	await signIn(watched.page, issued.key);
	return { issued, ...watched };
}

export const numbered = (count: number) => Array.from({ length: count }, (_, index) => `Animal ${index + 1}`);
export const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** Waits until the page shows the text. @throws Error with the text that the page shows instead */
export async function shows(page: Page, text: string | RegExp): Promise<void> {
	try {
		await page.getByText(text).first().waitFor();
	} catch (cause) {
		throw new Error(`${page.url()} does not show ${text}, but: ${await page.locator("body").textContent()}`, { cause });
	}
}

export async function signIn(page: Page, key: string): Promise<void> {
	await page.getByLabel("API key").fill(key);
	await page.getByRole("button", { name: "Sign in" }).click();
	await isSignedIn(page);
}

/** Signs out through the account menu. */
export async function signOut(page: Page): Promise<void> {
	await settled(page);
	await account(page).click();
	await page.getByRole("button", { name: /^Sign out/ }).click();
	await page.getByLabel("API key").waitFor();
}

/** Clicks Continue in Add many, to each of these steps. */
export async function goOn(page: Page, ...steps: string[]): Promise<void> {
	const next = page.locator(".go .primary:not([aria-disabled=true])", { hasText: "Continue" });
	for (const step of steps) {
		// When the names of categories arrive, the file is checked again, and a click meanwhile does nothing.
		await settled(page);
		await next.click();
		await page.locator(".step-list [aria-current]", { hasText: step }).waitFor();
	}
}

/** Adds the animals of Add many. While a file is checked again, as when names of categories arrive, clicks do nothing. */
export async function addAnimals(page: Page, what: string): Promise<void> {
	await settled(page);
	await button(page, `Add ${what}`).click();
}

/**
 * Changes the store by other means than this page, when the page shows the store as it was. The page may just then ask
 * for the figures, which it does every 5 s: a test that this would disturb holds them.
 */
export async function elsewhere(page: Page, change: () => Promise<unknown>): Promise<void> {
	await settled(page);
	await change();
}

/** Changes the size of the window. The page then closes its menus: without the wait, also one that is opened next. */
export async function resize(page: Page, width: number, height = 800): Promise<void> {
	await page.setViewportSize({ width, height });
	await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
}

/** Stops the clock of the page. Effects of components do not run until `page.clock.resume()`. */
export async function pauseClock(page: Page): Promise<void> {
	// A minute ahead, because a busy machine may be slow to get there.
	await page.clock.pauseAt((await page.evaluate<number>("Date.now()")) + 60_000);
}

/** Chooses a file in Add many. */
export async function choose(page: Page, name: string, content: string | Buffer): Promise<void> {
	await page.goto(`${new URL(page.url()).origin}/console#/add-many`);
	const file = { name, mimeType: "text/csv", buffer: Buffer.from(content) };
	await page.getByLabel("File of animals").setInputFiles(file);
}

export async function textOf(download: Promise<Download>): Promise<string> {
	return readFile(await (await download).path(), "utf8");
}

/** Presses Tab until the element with this name has the focus. Asserts that the focus is always visible. */
export async function tabTo(page: Page, name: string): Promise<void> {
	const here = "document.activeElement.ariaLabel ?? (document.activeElement.innerText || document.activeElement.id)";
	for (let count = 0; (await page.evaluate(here)) !== name; count++) {
		assert.ok(count < 99, `Tab never reaches ${name}`);
		await page.keyboard.press("Tab");
		const isVisible =
			"document.activeElement.matches('body') || getComputedStyle(document.activeElement).outlineStyle !== 'none'";
		assert.ok(await page.evaluate(isVisible), await page.evaluate(here));
	}
}

/** A row of the list, found by the animal's name. */
export const row = (page: Page, name: string) => page.getByRole("rowheader", { name, exact: true });

/** Removes the errors that a test expects, because the browser logs each failed reply. */
export function takeOut(errors: string[], expected: RegExp): void {
	assert.ok(errors.length > 0, `no error ${expected}`);
	for (const error of errors.splice(0)) assert.match(error, expected);
}

/** The names on the page, from its first row to its last. */
export function namesOn(page: Page): Promise<string[]> {
	return page.locator("tbody th.name").allTextContents();
}

/** Whether the browser would leave the page without asking. */
export const mayLeave = 'dispatchEvent(new Event("beforeunload", { cancelable: true }))';

const axe = new URL(import.meta.resolve("axe-core/axe.min.js"));

/** Asserts that axe finds no violation of these rules, by default all, and that nothing is wider than the window. */
export async function assertAccessible(page: Page, where: string, rules?: string[]): Promise<void> {
	if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(await readFile(axe, "utf8"));
	const options = JSON.stringify({ resultTypes: ["violations"], ...(rules && { runOnly: rules }) });
	const { violations } = await page.evaluate<AxeResults>(`axe.run(${options})`);
	assert.deepEqual(
		violations.map(({ id, nodes }) => `${where}: ${id} ${nodes.map(({ html }) => html).join(" ")}`),
		[],
	);
	await assertFits(page, where);
}

/** Asserts that nothing is wider than the window. */
export async function assertFits(page: Page, where: string): Promise<void> {
	const widths = await page.evaluate<number[]>("[document.documentElement.scrollWidth, innerWidth]");
	assert.equal(widths[0], widths[1], `${where} is wider than its window: ${await page.evaluate(tooWide)}`);
}

/** The innermost elements that extend beyond the window, except elements in a box that scrolls. */
const tooWide = `[...document.querySelectorAll("body *:not(:has(*))")]
	.filter((one) => one.getBoundingClientRect().right > innerWidth)
	.filter((one) => {
		for (let box = one; (box = box.parentElement); ) if (getComputedStyle(box).overflowX !== "visible") return false;
		return true;
	})
	.map((one) => one.outerHTML.slice(0, 200))`;

/** The rules about colors. Only these depend on whether the page is light or dark. */
const colorRules = ["color-contrast", "link-in-text-block"];

/** Does the checks of `assertAccessible` in light and in dark colors. */
export async function assertBothAccessible(page: Page, where: string): Promise<void> {
	for (const colorScheme of ["light", "dark"] as const) {
		await page.emulateMedia({ colorScheme });
		// Waits until the page is painted. Otherwise, on a busy machine, axe would measure the previous colors.
		await page.evaluate("new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))");
		await assertAccessible(page, `${where}, ${colorScheme}`, colorScheme === "dark" ? colorRules : undefined);
	}
}

/** The name and status of each animal, in the order of ids. */
export async function petsOf({ send }: TestService): Promise<string[]> {
	const { body } = await send({ path: "/v1/pets?limit=100" });
	return JSON.parse(body).map(({ name, status }: { name: string; status?: string }) => `${name} ${status ?? "–"}`);
}
