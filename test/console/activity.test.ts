// The console's Activity view with real traffic, and with a key that lacks the scope.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { test } from "../support/browser.ts";
import { create, testService } from "../support/service.ts";
import { assertAccessible, assertBothAccessible, openAs, openConsole, resize, signIn } from "./console.ts";

/** Waits for the next reply with the view's figures. */
const nextReading = (page: Page) =>
	page.waitForResponse((reply) => new URL(reply.url()).pathname === "/console/activity");

test("one chart shows replies and their p95 per minute, and the same as text", async (context) => {
	const service = await testService(context);
	const { page } = await openConsole(context, service.url, { hash: "#/activity" });
	const past = Array.from({ length: 59 }, (_, index) => ({ replies: 40 * index, p95Ms: 1 + (index % 7) }));
	await page.route("**/console/activity", async (route) => {
		const reply = await route.fetch();
		const figures = await reply.json();
		await route.fulfill({ json: { ...figures, minutes: [...past, { replies: 0 }] } });
	});
	await signIn(page, service.key);
	const chart = page.getByRole("region", { name: "Replies per minute" });
	await chart.getByText("This minute: 0 replies", { exact: true }).waitFor();
	await chart.getByRole("img", { name: "Replies per minute: at most 2,320" }).waitFor();
	assert.equal(await chart.locator(".ends").textContent(), "59 min agonow");
	const p95 = chart.getByRole("img", { name: "p95 per minute: at most 7 ms" });
	const { width: chartWidth = 0 } = (await p95.boundingBox()) ?? {};
	for (const [column, text] of [
		[0, "59 min ago: 0 replies, 95 % within 1 ms"],
		[29, "30 min ago: 1,160 replies, 95 % within 2 ms"],
		[58, "1 min ago: 2,320 replies, 95 % within 3 ms"],
	] as const) {
		await p95.hover({ position: { x: ((column + 0.5) / 60) * chartWidth, y: 50 } });
		await chart.getByText(text, { exact: true }).waitFor();
	}
	await page.mouse.move(0, 0);
	await chart.getByRole("region", { name: "Minutes" }).focus();
	for (const key of ["ArrowLeft", "ArrowLeft", "ArrowRight", "ArrowLeft"]) await page.keyboard.press(key);
	await chart.getByText("2 min ago: 2,280 replies, 95 % within 2 ms", { exact: true }).waitFor();
	await chart.getByText("The last minutes as a table").focus();
	await chart.getByText("This minute: 0 replies", { exact: true }).waitFor();
	assert.equal((await chart.locator("path").first().getAttribute("d"))?.split("M").length, 61);
	assert.equal((await chart.locator("path").last().getAttribute("d"))?.split("M").length, 60, "a gap without replies");
	await chart.getByText("The last minutes as a table").click();
	assert.deepEqual((await chart.locator("tbody tr").allTextContents()).slice(0, 2), [
		"This minute0–",
		"1 min ago2,3203 ms",
	]);
	assert.equal(await chart.locator("tbody tr").count(), 15);
	for (const width of [1280, 768, 375]) {
		await resize(page, width);
		await assertBothAccessible(page, `activity, ${width} wide`);
	}
	await page.close();
});

test("totals match the store, and the console asks for figures only while it is visible", async (context) => {
	const service = await testService(context, { mixes: false });
	for (const status of ["sold", "sold", "pending", undefined])
		await service.send(create({ name: "Rex", categoryId: 1, status }));
	const { page } = await openConsole(context, service.url, { hash: "#/activity" });
	await page.clock.install();
	const asked: string[] = [];
	page.on("request", (request) => asked.push(new URL(request.url()).pathname));
	const names = page.waitForResponse("**/console/categories");
	await signIn(page, service.key);
	await (await names).finished();
	await page.getByText(/^This minute: 4 replies/).waitFor();
	assert.equal(await page.locator(".activity .ends").textContent(), "29 min agonow", "the chart is empty on the left");
	const askedInAMinute = async () => {
		asked.length = 0;
		await page.clock.runFor(60_000);
		return asked;
	};
	await setVisibility(page, "hidden");
	assert.deepEqual(await askedInAMinute(), []);
	const next = nextReading(page);
	await setVisibility(page, "visible");
	await next;
	const nextAgain = nextReading(page);
	await page.clock.runFor(5_000);
	await nextAgain;
	await page.getByRole("link", { name: "Animals" }).click();
	await page.getByRole("button", { name: "Sold 2" }).waitFor();
	await page.close();
});

function setVisibility(page: Page, state: "hidden" | "visible"): Promise<unknown> {
	return page.evaluate(`Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true });
		document.dispatchEvent(new Event("visibilitychange"))`);
}

test("a key without the scope gets its name and the command for one with it; nothing is sent", async (context) => {
	const service = await testService(context);
	const { page, errors } = await openAs(context, service, ["pets:read"], { hash: "#/activity" });
	const note = page.getByRole("alert").filter({ hasText: "This key may not see the activity" });
	await note.getByText("animal-store keys create --name console --scopes metrics:read,pets:read").waitFor();
	assert.match((await note.textContent()) ?? "", /lacks the scope metrics:read/);
	assert.equal(await page.locator(".activity").count(), 0);
	await assertAccessible(page, "no scope");
	assert.deepEqual(errors, []);
});
