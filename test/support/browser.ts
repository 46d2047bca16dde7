// A real Chromium for tests: the one from npm, unless TEST_CHROMIUM names another. A test fails if one of its pages has
// an error in the console, violates its Content-Security-Policy, or sends a request to a host other than the service.

import assert from "node:assert/strict";
import { after, before, test as nodeTest, type TestContext } from "node:test";
import type { Browser, Page, Request, Route } from "playwright-core";
import { startChromium } from "./chromium.ts";
import { beforeStop } from "./service.ts";
import { slowMs, until, within } from "./until.ts";

/** A test that uses a browser, with a longer time limit. If it fails, the error has what its pages show. */
export function test(title: string, work: (context: TestContext) => Promise<void>): void {
	nodeTest(title, { timeout: slowMs }, async (context) => {
		await work(context).catch(async (cause) => {
			const pages = browser.contexts().flatMap((profile) => profile.pages());
			const shown = await Promise.all(pages.map((page) => page.locator("body").ariaSnapshot().catch(String)));
			throw new Error(`${cause.message}\nThe pages show:\n${shown.join("\n")}`, { cause });
		});
	});
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
	// Nearly as long as a test may take, because a busy machine is slow.
	profile.setDefaultTimeout(0.75 * slowMs);
	const errors: string[] = [];
	profile.on("page", watchRequests);
	profile.on("page", keepRouting);
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

/** From the first route on, the page stays routed: when the last route is removed, the browser may lose a request. */
function keepRouting(page: Page): void {
	const { route } = page;
	let isRouted = false;
	page.route = async (...given) => {
		if (!isRouted) await route.call(page, "nothing", () => {});
		isRouted = true;
		return route.apply(page, given);
	};
}

/** The requests that a page waits for, and the number of requests that it has sent. */
const requestsOf = new WeakMap<Page, { open: Set<Request>; sent: number }>();
/** The requests whose replies a test holds. */
const held = new WeakSet<Request>();

function watchRequests(page: Page): void {
	const requests = { open: new Set<Request>(), sent: 0 };
	requestsOf.set(page, requests);
	page.on("request", (request) => {
		requests.sent++;
		if (!request.isNavigationRequest()) requests.open.add(request);
	});
	for (const end of ["requestfinished", "requestfailed"] as const)
		page.on(end as "requestfinished", (request) => requests.open.delete(request));
}

/** Several frames: an effect of a component runs in the frame after a reply, and may change another component. */
const frames = `new Promise((done) => {
	let left = 4;
	const next = () => (left-- > 0 ? requestAnimationFrame(() => setTimeout(next)) : done());
	next();
})`;

/**
 * Waits until the page has no request under way and sends no other. A step that changes the store, or that depends on
 * what the page shows, goes through here: otherwise a read of the step before could show the later state or replace it.
 * Waits neither for requests that the test holds, nor for a timer of the page, such as that of the search field.
 */
export async function settled(page: Page): Promise<void> {
	const requests = requestsOf.get(page);
	if (!requests) throw new Error("open the page with openPage");
	let quietRounds = 0;
	// Twice, because the browser reports a request later than the page sends it.
	const isQuiet = async () => {
		const { sent } = requests;
		await within("the frames of the page, whose clock must run", page.evaluate(frames));
		const isStill = requests.sent === sent && [...requests.open].every((request) => held.has(request));
		quietRounds = isStill ? quietRounds + 1 : 0;
		return quietRounds === 2;
	};
	await until(`no request to be under way: ${page.url()}`, isQuiet, { everyMs: 0 });
}

export interface Holding {
	/** Holds the reply of the service instead of the request. */
	isStored?: boolean;
	/** Whether to hold this request; by default, each is held. */
	when?: (request: Request) => boolean;
}

/**
 * Holds requests to this address until the test ends or calls the function.
 * @returns a function that lets them pass; from then on, no request is held
 */
export async function hold(page: Page, address: string, { isStored = false, when = () => true }: Holding = {}) {
	const { promise: released, resolve } = Promise.withResolvers<void>();
	let isReleased = false;
	await page.route(address, async (route: Route) => {
		const request = route.request();
		if (!when(request) || isReleased) return route.fallback();
		held.add(request);
		const response = isStored ? await route.fetch() : undefined;
		await released;
		held.delete(request);
		// The page may no longer wait for the reply.
		await (response ? route.fulfill({ response }) : route.fallback()).catch(() => {});
	});
	return () => {
		isReleased = true;
		resolve();
	};
}
