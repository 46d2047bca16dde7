// The parts of the console's page, as a person finds them, and what a person does with them.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { settled } from "../support/browser.ts";

export const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
export const account = (page: Page) => page.getByRole("button", { name: /^Account: / });
export const isSignedIn = (page: Page) => account(page).waitFor();
export const isSignedOut = (page: Page) => page.getByLabel("API key").waitFor();
export const panel = (page: Page, name: string) => page.getByRole("complementary", { name, exact: true });
export const toast = (page: Page) => page.locator(".toast p");
/** A row of the list, found by the animal's name. */
export const row = (page: Page, name: string) => page.getByRole("rowheader", { name, exact: true });
/** The status in the row of an animal, as `Rex: sold`. */
export const inTable = (page: Page, text: string) =>
	page.locator("tbody").getByRole("button", { name: `Status of ${text}` });
export const focused = (page: Page) => page.evaluate<string>("document.activeElement.innerText");
/** The names on the page, from its first row to its last. */
export const namesOn = (page: Page) => page.locator("tbody th.name").allTextContents();
/** Whether the browser would leave the page without asking. */
export const mayLeave = (page: Page) => page.evaluate('dispatchEvent(new Event("beforeunload", { cancelable: true }))');

/** Waits until the page shows the text. @throws Error with the text that the page shows instead */
export async function shows(page: Page, text: string | RegExp): Promise<void> {
	try {
		await page.getByText(text).first().waitFor();
	} catch (cause) {
		throw new Error(`${page.url()} does not show ${text}, but: ${await page.locator("body").textContent()}`, { cause });
	}
}

export async function press(page: Page, ...keys: string[]): Promise<void> {
	for (const key of keys) await page.keyboard.press(key);
}

/** Types a text where the focus is, or fills in the field with this label, and presses Enter. */
export async function enter(page: Page, text: string, label?: string): Promise<void> {
	if (label) await page.getByLabel(label, { exact: true }).fill(text);
	else await page.keyboard.type(text);
	await page.keyboard.press("Enter");
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

/** Opens the menu of a status in the list, and chooses `sold`. */
export async function sell(page: Page, text: string): Promise<void> {
	await settled(page);
	await inTable(page, text).click();
	await page.getByRole("menu").waitFor();
	await page.keyboard.press("s");
}
