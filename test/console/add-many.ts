// Add many, as a person uses it: files of animals, the steps of an import, and files that the page saves.

import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { settled } from "../support/browser.ts";
import { button } from "./page.ts";
import { shows } from "./steps.ts";

/** Chooses a file in Add many. */
export async function choose(page: Page, name: string, content: string | Buffer): Promise<void> {
	await page.goto(`${new URL(page.url()).origin}/console#/add-many`);
	const file = { name, mimeType: "text/csv", buffer: Buffer.from(content) };
	await page.getByLabel("File of animals").setInputFiles(file);
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

/**
 * Adds the animals of Add many, and waits until the page says this. While a file is checked again, as when names of
 * categories arrive, clicks do nothing.
 */
export async function addAnimals(page: Page, what: string, said?: string | RegExp): Promise<void> {
	await settled(page);
	await button(page, `Add ${what}`).click();
	if (said) await shows(page, said);
}

/** Chooses a file that leaves nothing open, and adds its animals. */
export async function addFile(page: Page, name: string, content: string, what: string, said?: string | RegExp) {
	await choose(page, name, content);
	await goOn(page, "Check");
	await addAnimals(page, what, said);
}

/** Clicks the button that saves a file. @returns the text of the file */
export async function saved(page: Page, label: string): Promise<string> {
	const download = page.waitForEvent("download");
	await button(page, label).click();
	return readFile(await (await download).path(), "utf8");
}
