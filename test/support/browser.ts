// A real Chromium for tests: the one from npm, unless TEST_CHROMIUM names another. A test fails if one of its pages has
// an error in the console, violates its Content-Security-Policy, or sends a request to a host other than the service.

import assert from "node:assert/strict";
import { after, before, test as nodeTest, type TestContext } from "node:test";
import type { Browser, Page } from "playwright-core";
import { startChromium } from "./chromium.ts";
import { beforeStop } from "./service.ts";
import { slowMs } from "./until.ts";

/** A test that uses a browser, with a longer time limit. */
export function test(title: string, work: (context: TestContext) => Promise<void>): void {
	nodeTest(title, { timeout: slowMs }, work);
}

let browser: Browser;
before(async () => {
	const path = process.env["TEST_CHROMIUM"];
	if (!path) throw new Error("there is no Chromium: start the tests with npm test");
	browser = await startChromium(path);
});
after(() => browser.close());

/**
 * Makes every text as wide as in DejaVu Sans and Verdana, whose bold letters are up to 0.12 em wider than the bold
 * letters of the fonts from npm. The style sheet is constructed, because the pages load only their own style sheets.
 */
const wideText = `{
	const sheet = new CSSStyleSheet();
	sheet.replaceSync("* { letter-spacing: 0.12em !important; }");
	document.adoptedStyleSheets = [sheet];
}`;

export type PageOptions = Parameters<Browser["newPage"]>[0] & { isWide?: boolean };

export interface Watched {
	page: Page;
	/** Errors of the console and the pages so far; a test removes the errors that it expects. */
	errors: string[];
}

/** Opens a page in a separate browser profile. The test fails if `errors` has an error of any tab at the end. */
export async function openPage(
	context: TestContext,
	origin: string,
	{ isWide = false, ...options }: PageOptions = {},
): Promise<Watched> {
	// Without transitions, because a color read during a transition is neither the old nor the new color.
	const profile = await browser.newContext({ locale: "en-US", reducedMotion: "reduce", ...options });
	if (isWide) await profile.addInitScript(wideText);
	const errors: string[] = [];
	profile.on("console", (message) => {
		if (message.type() === "error") errors.push(message.text());
	});
	profile.on("weberror", (error) => errors.push(String(error.error())));
	profile.on("request", (request) => {
		const url = request.url();
		if (/^https?:/.test(url) && new URL(url).origin !== new URL(origin).origin) errors.push(`a request to ${url}`);
	});
	const close = async () => {
		// Closing the page makes a held reply fail; that error does not matter.
		for (const page of profile.pages()) await page.unrouteAll({ behavior: "ignoreErrors" });
		await profile.close();
	};
	beforeStop(context, close);
	context.after(async () => {
		await close();
		assert.deepEqual(errors, []);
	});
	return { page: await profile.newPage(), errors };
}
