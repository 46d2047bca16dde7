// A real Chromium for tests: the one from npm, unless TEST_CHROMIUM names another. A page fails its test on any error in its
// console, a violation of its Content-Security-Policy, or a request to another host than the service.

import assert from "node:assert/strict";
import { after, before, test as nodeTest, type TestContext } from "node:test";
import type { Browser, Page } from "playwright-core";
import { startChromium } from "./chromium.ts";
import { beforeStop } from "./service.ts";
import { slowMs } from "./until.ts";

/** A test that uses a browser, which may take longer than others. */
export function test(title: string, work: (context: TestContext) => Promise<void>): void {
	nodeTest(title, { timeout: slowMs }, work);
}

let browser: Browser;
before(async () => {
	browser = await startBrowser();
});
after(() => browser.close());

function startBrowser(): Promise<Browser> {
	const path = process.env["TEST_CHROMIUM"];
	if (!path) throw new Error("there is no Chromium: start the tests with npm test");
	return startChromium(path);
}

/**
 * Makes every text as wide as in DejaVu Sans and Verdana: their bold letters are up to 0.12 em wider than those of the
 * fonts from npm. A constructed style sheet, because the pages allow no others than their own.
 */
const wideText = `{
	const sheet = new CSSStyleSheet();
	sheet.replaceSync("* { letter-spacing: 0.12em !important; }");
	document.adoptedStyleSheets = [sheet];
}`;

export type PageOptions = Parameters<Browser["newPage"]>[0] & { isWide?: boolean };

export interface Watched {
	page: Page;
	/** Errors of the console and the pages so far; a test removes those that it expects. */
	errors: string[];
}

/** Opens a page in a separate browser profile. Errors at the end, of any tab of the profile, fail the test. */
export async function openPage(
	context: TestContext,
	origin: string,
	{ isWide = false, ...options }: PageOptions = {},
): Promise<Watched> {
	// Without transitions, amid which a color is neither the one before nor the one after.
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
		// A reply that a test holds back fails when its page closes.
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
