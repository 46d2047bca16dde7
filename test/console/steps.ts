// What a person does with the console's page, and what it then shows.

import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { settled } from "../support/browser.ts";
import { button, inTable, message } from "./page.ts";

/** What the page shows after a step: a text, or an element. */
type Sign = string | RegExp | Locator;

/** Waits until the page shows the sign. @throws Error with the text that the page shows instead */
export async function shows(page: Page, sign: Sign): Promise<void> {
	try {
		await (typeof sign === "object" && "waitFor" in sign ? sign : page.getByText(sign).first()).waitFor();
	} catch (cause) {
		throw new Error(`${page.url()} does not show ${sign}, but: ${await page.locator("body").textContent()}`, { cause });
	}
}

/** Clicks an element, or the button with this name, and waits for the sign. */
export async function click(page: Page, what: string | Locator, sign: Sign): Promise<void> {
	await (typeof what === "string" ? button(page, what) : what).click();
	await shows(page, sign);
}

/** Clicks the link with this name, and waits for the sign. */
export async function follow(page: Page, name: string, sign: Sign): Promise<void> {
	await page.getByRole("link", { name, exact: true }).click();
	await shows(page, sign);
}

/** Changes the part of the address after the #, and waits for the sign. */
export async function visit(page: Page, hash: string, sign: Sign): Promise<void> {
	await page.evaluate(`location.hash = "${hash}"`);
	await shows(page, sign);
}

export async function reload(page: Page, sign: Sign): Promise<void> {
	await page.reload();
	await shows(page, sign);
}

export async function press(page: Page, ...keys: string[]): Promise<void> {
	for (const key of keys) await page.keyboard.press(key);
}

/** Presses keys, which blanks separate, and waits for the sign. */
export async function hit(page: Page, keys: string, sign: Sign): Promise<void> {
	await press(page, ...keys.split(" "));
	await shows(page, sign);
}

/** Types a text where the focus is, or fills in the field with this label, and presses Enter. Waits for a sign. */
export async function enter(page: Page, text: string, label?: string, sign?: Sign): Promise<void> {
	if (label) await page.getByLabel(label, { exact: true }).fill(text);
	else await page.keyboard.type(text);
	await page.keyboard.press("Enter");
	if (sign) await shows(page, sign);
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

/** Opens the menu of a status in the list, chooses `sold`, and waits for the message, if one is given. */
export async function sell(page: Page, text: string, told?: string): Promise<void> {
	await settled(page);
	await inTable(page, text).click();
	await page.getByRole("menu").waitFor();
	await page.keyboard.press("s");
	if (told) await message(page, told).waitFor();
}
