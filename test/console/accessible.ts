// What every view keeps: axe finds nothing in it, in light and in dark colors, and nothing is wider than the window.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";

/** Changes the size of the window. The page then closes its menus: without the wait, also one that is opened next. */
export async function resize(page: Page, width: number, height = 800): Promise<void> {
	await page.setViewportSize({ width, height });
	await page.evaluate(painted);
}

/** Resolves when the page is painted. */
const painted = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))";

const axe = new URL(import.meta.resolve("axe-core/axe.min.js"));

/** Asserts that axe finds no violation of these rules, by default all, and that nothing is wider than the window. */
export async function assertAccessible(page: Page, where: string, rules?: string[]): Promise<void> {
	if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(await readFile(axe, "utf8"));
	const options = JSON.stringify({ resultTypes: ["violations"], ...(rules && { runOnly: rules }) });
	// Everything else in the results is large, and takes a quarter of the time to transfer.
	const shown = `({ violations }) => violations.map(({ id, nodes }) => id + " " + nodes.map(({ html }) => html).join(" "))`;
	const found = await page.evaluate<string[]>(`axe.run(${options}).then(${shown})`);
	assert.deepEqual(found, [], where);
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
		await page.evaluate(painted);
		await assertAccessible(page, `${where}, ${colorScheme}`, colorScheme === "dark" ? colorRules : undefined);
	}
}
