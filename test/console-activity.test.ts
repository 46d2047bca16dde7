// The console's Activity view with real traffic, and for a key without the scope.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setInterval } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { createKey } from "../src/keys/issue.ts";
import { keyFromRandom } from "../src/keys/key-format.ts";
import { screenshot, startBrowser } from "./browser.ts";
import { assertAccessible, openConsole, signIn, takeOut } from "./console.ts";
import { startProgram } from "./program.ts";
import { create, type TestService, temporaryFolder, testService } from "./service.ts";
import { until } from "./until.ts";

let browser: Browser;
before(async () => {
	browser = await startBrowser();
});
after(() => browser.close());

/** Forty times a second, lists, creates and refusals side by side, until `isOver`. */
async function makeTraffic({ send }: TestService, isOver: () => boolean): Promise<void> {
	const statuses = ["available", "available", "sold", "pending", undefined];
	let round = 0;
	for await (const _ of setInterval(25)) {
		if (isOver()) break;
		round++;
		const pets = Array.from({ length: 2 + (round % 4) }, (_, index) => ({
			name: "Rex",
			categoryId: 1,
			status: statuses[(round + index) % 5],
		}));
		await Promise.all([
			...pets.map((pet) => send(create(pet))),
			send({ path: "/v1/pets?limit=5" }),
			...(round % 5 === 0 ? [send({ path: "/v1/pets/0" })] : []),
		]);
	}
}

/** For each plot, how many pixels have a line's colour: more colourful than the greys of axes and grid. */
const colouredPixels = `[...document.querySelectorAll("canvas")].map((canvas) => {
	const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
	let count = 0;
	for (let at = 0; at < data.length; at += 4) {
		const colour = [data[at], data[at + 1], data[at + 2]];
		if (data[at + 3] > 200 && Math.max(...colour) - Math.min(...colour) > 60) count++;
	}
	return count;
})`;

/** The figures of a plot's table, by line. */
async function figuresOf(page: Page, title: string): Promise<Record<string, number>> {
	const rows = await page.getByRole("region", { name: title }).locator("tbody tr").allInnerTexts();
	return Object.fromEntries(
		rows
			.map((row) => row.split("\t"))
			.map(([line = "", figure = ""]) => [line, Number.parseFloat(figure.replaceAll(",", ""))]),
	);
}

/** The next answers of the service to the view. */
async function nextReadings(page: Page, count: number): Promise<void> {
	for (let done = 0; done < count; done++)
		await page.waitForResponse((reply) => reply.url().endsWith("/console/activity"));
}

test("every plot shows real traffic, with figures and text beside it", async (context) => {
	const service = await testService(context);
	const { page } = await openConsole(context, browser, service.url, {
		hash: "#/activity",
		page: { viewport: { width: 1280, height: 800 } },
	});
	await signIn(page, service.key);
	let isOver = false;
	const traffic = makeTraffic(service, () => isOver);
	context.after(() => {
		isOver = true;
	});
	await nextReadings(page, 5);
	await page.getByText("One node, read every two seconds").waitFor();
	const pixels = await page.evaluate<number[]>(colouredPixels);
	assert.equal(pixels.length, 4);
	for (const count of pixels) assert.ok(count > 50, `coloured pixels: ${pixels}`);
	await until("done and refused requests", async () => {
		const { "2xx done": done = 0, "4xx refused": refused = 0 } = await figuresOf(page, "Requests per second");
		return done > 0 && refused > 0;
	});
	const { "median (p50)": p50 = 0, "slowest 1 % (p99)": p99 = 0 } = await figuresOf(page, "Latency");
	assert.ok(p50 > 0 && p50 <= p99, `${p50} ${p99}`);
	await until("creates", async () => {
		const { "animals per second": animals = 0, ...creates } = await figuresOf(page, "Creates");
		return animals > 0 && (creates["animals per commit (right axis)"] ?? 0) >= 1;
	});
	assert.match(
		(await page.getByRole("img", { name: "Animals by status" }).getAttribute("aria-label")) ?? "",
		/last five minutes\. Now: available [\d,]+, pending [\d,]+, sold [\d,]+, not set [\d,]+$/,
	);
	await screenshot(page, "console-activity");
	await assertAccessible(page, "activity");
	await page.emulateMedia({ colorScheme: "dark" });
	await page.setViewportSize({ width: 375, height: 800 });
	await nextReadings(page, 1);
	await assertAccessible(page, "activity, dark and narrow");
	isOver = true;
	await traffic;
	await page.close();
});

test("the numbers of animals match the store, and the view polls only while it is visible", async (context) => {
	const service = await testService(context);
	for (const status of ["sold", "sold", "pending", undefined])
		await service.send(create({ name: "Rex", categoryId: 1, status }));
	const { page } = await openConsole(context, browser, service.url, { hash: "#/activity" });
	await page.clock.install();
	const asked: string[] = [];
	page.on("request", (request) => asked.push(new URL(request.url()).pathname));
	await signIn(page, service.key);
	await page.getByText("One node, read every two seconds").waitFor();
	assert.deepEqual(await figuresOf(page, "Animals by status"), { available: 0, pending: 1, sold: 2, "not set": 1 });
	const askedInAMinute = async () => {
		asked.length = 0;
		await page.clock.runFor(60_000);
		return asked;
	};
	await setVisibility(page, "hidden");
	assert.deepEqual(await askedInAMinute(), []);
	const next = nextReadings(page, 1);
	await setVisibility(page, "visible");
	await next;
	await page.getByRole("link", { name: "Animals" }).click();
	await page.getByText("4 animals on this page").waitFor();
	assert.deepEqual(await askedInAMinute(), []);
	await page.close();
});

function setVisibility(page: Page, state: "hidden" | "visible"): Promise<unknown> {
	return page.evaluate(`Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true });
		document.dispatchEvent(new Event("visibilitychange"))`);
}

test("the plots stay while the server is down, and continue with the next node", async (context) => {
	const API_KEY = keyFromRandom(randomBytes(32));
	const environment = { DATABASE_URL: `sqlite:${join(temporaryFolder(context), "animals.db")}`, API_KEY };
	const first = await startProgram(context, environment);
	const { page, errors } = await openConsole(context, browser, first.url, { hash: "#/activity" });
	await signIn(page, API_KEY);
	await page.getByText("One node, read every two seconds").waitFor();
	first.process.kill("SIGTERM");
	await first.finished;
	const note = page.getByRole("alert").filter({ hasText: "No new figures" });
	await note.getByText("The server does not answer.").waitFor();
	assert.equal(await page.locator("canvas").count(), 4);
	const second = await startProgram(context, { ...environment, PORT: new URL(first.url).port });
	await note.getByRole("button", { name: "Try again" }).click();
	await note.waitFor({ state: "detached" });
	await nextReadings(page, 1);
	const figures = Object.values(await figuresOf(page, "Requests per second"));
	assert.ok(
		figures.every((figure) => figure >= 0),
		String(figures),
	);
	takeOut(errors, /ERR_CONNECTION_REFUSED/);
	await page.close();
	second.process.kill("SIGTERM");
	await second.finished;
});

test("a key without the scope gets its name and the command that creates a key with it", async (context) => {
	const service = await testService(context);
	const { key } = await createKey(service.issuer, { name: "no metrics", scopes: ["pets:read"] });
	const { page, errors } = await openConsole(context, browser, service.url, { hash: "#/activity" });
	await signIn(page, key);
	const note = page.getByRole("alert").filter({ hasText: "This key may not see the activity" });
	await note.getByText("animal-store keys create --name watch --scopes metrics:read,pets:read").waitFor();
	assert.match((await note.textContent()) ?? "", /lacks the scope metrics:read/);
	assert.equal(await page.locator("canvas").count(), 0);
	await assertAccessible(page, "no scope");
	takeOut(errors, /403/);
});
