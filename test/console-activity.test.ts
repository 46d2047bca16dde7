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

/** The figures in the legend of a chart, by line. */
async function figuresOf(page: Page, title: string): Promise<Record<string, number>> {
	const lines = await page.getByRole("region", { name: title }).getByRole("listitem").allInnerTexts();
	return Object.fromEntries(
		lines
			.map((line) => /^(.*?)\s+([\d.,]+|–)\s*(?:\/s|ms)?$/s.exec(line.trim()) ?? [])
			.map(([, line = "", figure = ""]) => [line, Number.parseFloat(figure.replaceAll(",", ""))]),
	);
}

/** The large figure of a tile. */
async function figureOf(page: Page, tile: string): Promise<number> {
	const text = await page.getByRole("region", { name: tile, exact: true }).locator(".figure").textContent();
	return Number.parseFloat((text ?? "").replaceAll(",", ""));
}

/** The next answers of the service to the view. */
async function nextReadings(page: Page, count: number): Promise<void> {
	for (let done = 0; done < count; done++)
		await page.waitForResponse((reply) => new URL(reply.url()).pathname === "/console/activity");
}

test("tiles, charts and the table by operation show real traffic, and the same as text", async (context) => {
	const service = await testService(context);
	const { page } = await openConsole(context, browser, service.url, {
		hash: "#/activity",
		page: { viewport: { width: 1280, height: 900 } },
	});
	await signIn(page, service.key);
	let isOver = false;
	const traffic = makeTraffic(service, () => isOver);
	context.after(() => {
		isOver = true;
	});
	await nextReadings(page, 5);
	await page.getByText("One node answers, running since").waitFor();
	await until("coloured lines in both charts", async () => {
		const pixels = await page.evaluate<number[]>(colouredPixels);
		return pixels.length === 2 && pixels.every((count) => count > 50);
	});
	await until("lists, creates and refused requests", async () => {
		const { listPets = 0, createPet = 0, "refused (4xx)": refused = 0 } = await figuresOf(page, "Requests per second");
		return listPets > 0 && createPet > listPets && refused > 0;
	});
	const { "median (p50)": p50 = 0, "slowest 1 % (p99)": p99 = 0 } = await figuresOf(page, "Latency");
	assert.ok(p50 > 0 && p50 <= p99, `${p50} ${p99}`);
	await until("tiles with figures", async () => {
		const figures = [
			await figureOf(page, "Requests"),
			await figureOf(page, "Creates"),
			await figureOf(page, "Animals"),
		];
		return figures.every((figure) => figure > 0);
	});
	await page.getByText(/per commit$/).waitFor();
	const list = page.getByRole("region", { name: "By operation" }).getByRole("row", { name: "listPets" });
	await until("the table by operation", async () => Number(await list.locator("td").first().textContent()) > 0);
	await page.getByText("The same figures as a table").click();
	await until("ten rows", async () => (await page.locator("details tbody tr").count()) === 10);
	await page.getByText("The same figures as a table").click();
	assert.match(
		(await page.getByRole("img", { name: "Latency, last 5 minutes" }).getAttribute("aria-label")) ?? "",
		/Now: median \(p50\) [\d.]+ ms, slowest 1 % \(p99\) [\d.]+ ms$/,
	);
	await screenshot(page, "console-activity");
	await assertAccessible(page, "activity");
	await page.getByRole("region", { name: "Latency" }).locator(".u-over").hover();
	await page
		.getByRole("region", { name: "Latency" })
		.getByText(/^\d\d:\d\d:\d\d$/)
		.waitFor();
	await page.getByRole("button", { name: "1 h" }).click();
	await page.getByRole("img", { name: "Latency, last 60 minutes" }).waitFor();
	await page.emulateMedia({ colorScheme: "dark" });
	await page.setViewportSize({ width: 375, height: 800 });
	await nextReadings(page, 1);
	await assertAccessible(page, "activity, dark and narrow");
	isOver = true;
	await traffic;
	await page.close();
});

test("totals match the store, and the console asks for figures only while it is visible", async (context) => {
	const service = await testService(context);
	for (const status of ["sold", "sold", "pending", undefined])
		await service.send(create({ name: "Rex", categoryId: 1, status }));
	const { page } = await openConsole(context, browser, service.url, { hash: "#/activity" });
	await page.clock.install();
	const asked: string[] = [];
	const known: (string | null)[] = [];
	page.on("request", (request) => {
		const url = new URL(request.url());
		asked.push(url.pathname);
		if (url.pathname === "/console/activity") known.push(url.searchParams.get("known"));
	});
	await signIn(page, service.key);
	await until("the number of animals", async () => (await figureOf(page, "Animals")) === 4);
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
	const nextAgain = nextReadings(page, 1);
	await page.clock.runFor(2_000);
	await nextAgain;
	assert.deepEqual([known[0], known.at(-2)], ["", ""], "the history is read at first, and after a while");
	assert.notEqual(known.at(-1), "");
	await page.getByRole("link", { name: "Animals" }).click();
	await page.getByRole("button", { name: "Sold 2" }).waitFor();
	await page.close();
});

test("a failed reply is a red line and a red figure; without failures there is neither", async (context) => {
	const service = await testService(context);
	const { page } = await openConsole(context, browser, service.url, { hash: "#/activity" });
	const reply = (seconds: number) => {
		const counts = (done: number, failed: number) => ({
			requests: { "2xx": done, "3xx": 0, "4xx": 0, "5xx": failed },
			latency: [done + failed, 0],
		});
		const replies = {
			listPets: counts(10 * seconds, seconds >= 4 ? 6 : 0),
			createPet: counts(0, 0),
			getPet: counts(0, 0),
			none: counts(0, 0),
		};
		const animals = { available: 1, pending: 0, sold: 0, none: 0, isComplete: true };
		const now = { uptimeMs: 1000 * seconds, replies, creates: { animals: 0, batches: 0 } };
		return { node: "a", upToMs: [5], now, history: [], animals };
	};
	let seconds = 0;
	await page.route("**/console/activity?*", (route) => {
		seconds += 2;
		return route.fulfill({ json: reply(seconds) });
	});
	await signIn(page, service.key);
	const failed = page.getByRole("region", { name: "Requests per second" }).getByText("failed (5xx)");
	await failed.waitFor();
	await page.locator("td.bad", { hasText: "3" }).waitFor();
	assert.ok(seconds >= 4);
	await page.close();
});

function setVisibility(page: Page, state: "hidden" | "visible"): Promise<unknown> {
	return page.evaluate(`Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true });
		document.dispatchEvent(new Event("visibilitychange"))`);
}

test("the plots stay while the server is down, and continue by themselves with the next node, whose start is marked", async (context) => {
	const API_KEY = keyFromRandom(randomBytes(32));
	const environment = { DATABASE_URL: `sqlite:${join(temporaryFolder(context), "animals.db")}`, API_KEY };
	const first = await startProgram(context, environment);
	const { page, errors } = await openConsole(context, browser, first.url, { hash: "#/activity" });
	await signIn(page, API_KEY);
	await page.getByText("One node answers").waitFor();
	first.process.kill("SIGTERM");
	await first.finished;
	await page.locator(".banner").getByText("The server does not answer.").waitFor();
	assert.equal(await page.locator("canvas").count(), 2);
	const second = await startProgram(context, { ...environment, PORT: new URL(first.url).port });
	await page.locator(".banner").waitFor({ state: "detached" });
	await page.getByText("The dashed upright line is the start of a node.").first().waitFor();
	await page.getByRole("button", { name: "by node" }).click();
	await until("one line for each node", async () => {
		const lines = Object.keys(await figuresOf(page, "Requests per second"));
		return lines.filter((line) => line.startsWith("node ")).length === 2;
	});
	takeOut(errors, /ERR_CONNECTION_REFUSED|503/);
	await page.close();
	second.process.kill("SIGTERM");
	await second.finished;
});

test("a key without the scope gets its name and the command that creates a key with it, and nothing is asked", async (context) => {
	const service = await testService(context);
	const { key } = await createKey(service.issuer, { name: "no metrics", scopes: ["pets:read"] });
	const { page, errors } = await openConsole(context, browser, service.url, { hash: "#/activity" });
	await signIn(page, key);
	const note = page.getByRole("alert").filter({ hasText: "This key may not see the activity" });
	await note.getByText("animal-store keys create --name console --scopes metrics:read,pets:read").waitFor();
	assert.match((await note.textContent()) ?? "", /lacks the scope metrics:read/);
	assert.equal(await page.locator("canvas").count(), 0);
	await assertAccessible(page, "no scope");
	assert.deepEqual(errors, []);
});
