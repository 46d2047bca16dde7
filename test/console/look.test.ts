// The accessibility of the web console: keyboard, light and dark, narrow screens, axe, and slow connections.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { openPage, settled, test } from "../support/browser.ts";
import { create, testService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { assertAccessible, assertBothAccessible, assertFits, resize } from "./accessible.ts";
import { addPets, numbered, openConsole, opened, signIn, takeOut } from "./console.ts";
import { button, focused, isSignedOut, panel, row } from "./page.ts";
import { click, command, enter, fillIn, follow, hit, press, shows, tabTo, visit } from "./steps.ts";

test("the keyboard is enough to sign in, page, switch views and sign out, with visible focus", async (context) => {
	const service = await testService(context);
	await addPets(service, numbered(21));
	const { page } = await openConsole(context, service.url, { hash: "#/animals?limit=20" });
	await isSignedOut(page);
	await tabTo(page, "key");
	await enter(page, service.key);
	await shows(page, "20 animals, ids 1 to 20 · more follow");
	assert.equal(await focused(page), "Animals");
	await tabTo(page, "Animal 2");
	await hit(page, "Enter", panel(page, "Animal 2"));
	await page.keyboard.press("Escape");
	await tabTo(page, "Next");
	await hit(page, "Enter", "1 animal, id 21 · the newest");
	assert.equal(await focused(page), "Next", "the focus stays, so that Enter shows the next page");
	await hit(page, "Shift+Tab Enter", "20 animals, ids 1 to 20 · more follow");
	await tabTo(page, "Changes");
	await hit(page, "Enter", page.getByRole("heading", { name: "Changes" }));
	assert.equal(await focused(page), "Changes");
	assert.equal(await page.title(), "Changes · animal-store");
	await tabTo(page, "Account: test");
	await page.keyboard.press("Enter");
	await tabTo(page, "Sign out");
	await page.keyboard.press("Enter");
	await isSignedOut(page);
	assert.equal(await page.title(), "Sign in · animal-store");
});

for (const [widths, font] of [[[1280, 1440, 768]], [[320, 390], " in a wide font"]] as const) {
	test(`axe finds nothing, and nothing is cut off, at ${widths.join(", ")} pixels${font ?? ""}`, async (context) => {
		const service = await testService(context);
		await service.store.categories.apply([{ id: 2n, name: "Guinea pig" }]);
		await addPets(service, numbered(21));
		await service.send(create('{"name":"Long","categoryId":-9223372036854775808}'));
		const page = { viewport: { width: widths[0], height: 800 }, isWide: font !== undefined };
		const watched = await openConsole(context, service.url, { page, hash: "#/animals?limit=100" });
		await assertEveryViewAccessible(watched.page, service.key, widths);
		takeOut(watched.errors, /40[014]/);
	});
}

async function assertEveryViewAccessible(page: Page, key: string, widths: readonly number[]) {
	const [width = 0, ...others] = widths;
	// The colors do not depend on the width.
	const check = width > 760 ? assertBothAccessible : assertAccessible;
	const look = async (name: string) => {
		await check(page, `${name} at ${width}`);
		for (const other of others) {
			await resize(page, other);
			await assertFits(page, `${name} at ${other}`);
		}
		await resize(page, width);
	};
	await enter(page, "pets_wrong", "API key", /This key does not work/);
	await look("sign-in");
	await signIn(page, key);
	await shows(page, /^22 animals, /);
	await look("animals");
	for (const each of widths) {
		// A change of the width closes a menu.
		await resize(page, each);
		await lookAtMenus(page, each, each === width ? check : assertFits);
	}
	await resize(page, width);
	await page.getByRole("button", { name: "Add animal" }).click();
	await enter(page, "9223372036854775808", "Category", "Enter a name");
	await look("a refused animal");
	await fillIn(page, "Rosa", "9007199254740993");
	await hit(page, "Enter", /Added Rosa with the id 23/);
	await look("an added animal");
	await page.keyboard.press("Escape");
	await click(page, row(page, "Rosa"), panel(page, "Rosa"));
	await look("an animal beside the list");
	await page.keyboard.press("Escape");
	await visit(page, "#/animals?sort=id&id=99", "There is no animal 99");
	await look("an animal that is not there");
	await visit(page, "#/animals?name=long&sort=id", "1 animal with “long” in the name");
	await look("a search");
	await command(page);
	await look("the palette");
	await page.keyboard.press("Escape");
	await page.getByRole("dialog").waitFor({ state: "detached" });
	await visit(page, "#/animals?cursor=none&sort=id", "This page cannot be shown");
	await look("a failure");
	await click(page, "First page", /^23 animals, /);
	await visit(page, "#/add-many", "Drop your list here");
	await look("add many");
}

async function lookAtMenus(page: Page, width: number, check: typeof assertFits) {
	// A menu closes when what is below it scrolls.
	await button(page, "Category: all").scrollIntoViewIfNeeded();
	await settled(page);
	await click(page, "Category: all", page.getByRole("combobox", { name: "Name or number" }));
	await check(page, `the filter by category at ${width}`);
	await page.keyboard.press("Escape");
	const leaveMenu: [menu: string, leave: () => Promise<void>][] = [
		["Account: test", () => press(page, "Shift+Tab")],
		["Export", () => page.locator(".list").click({ position: { x: 4, y: 4 } })],
	];
	for (const [menu, leave] of leaveMenu) {
		await click(page, page.getByRole("button", { name: menu }), page.locator(".sheet"));
		await check(page, `${menu} at ${width}`);
		await leave();
		await page.locator(".sheet").waitFor({ state: "detached" });
	}
}

test("the first load is at most 35 KB; the other parts are loaded when idle", async (context) => {
	const folder = fileURLToPath(new URL("../../dist/console/", import.meta.url));
	const sizes = Object.fromEntries(
		readdirSync(folder, { recursive: true, encoding: "utf8" })
			.filter((name) => /\.(html|js|css)$/.test(name))
			.map((name) => [name, gzipSync(readFileSync(join(folder, name))).length]),
	);
	const service = await testService(context);
	const asked: string[] = [];
	const cached = new Set<string | undefined>();
	const { page } = await openPage(context, service.url);
	page.on("request", (request) => asked.push(new URL(request.url()).pathname.replace("/console/", "")));
	page.on("response", (reply) => reply.url().includes("/assets/") && cached.add(reply.headers()["cache-control"]));
	const files = () => asked.filter((name) => /\.(js|css)$/.test(name));
	await page.goto(`${service.url}/console`);
	await isSignedOut(page);
	const first = ["index.html", ...files()].reduce((sum, name) => sum + (sizes[name] ?? Number.NaN), 0);
	assert.ok(files().length >= 2 && first <= 35 * 1024, `${first} bytes`);
	await signIn(page, service.key);
	await shows(page, "Add the first one");
	const isThere = (name: string) => files().some((file) => file.includes(name));
	const last = ["server", "changes", "add-many", "pet-panel", "send-edits", "messages", "workbook", "sign-out"];
	await until("all parts", () => last.every(isThere));
	await settled(page);
	asked.length = 0;
	await follow(page, "Changes", "Nothing was changed yet.");
	await command(page, "server");
	await hit(page, "Enter", page.getByRole("region", { name: "Replies per minute" }));
	await hit(page, "Control+k", page.getByRole("option", { name: "Add animal n" }));
	assert.deepEqual(files(), []);
	assert.deepEqual([...cached], ["public, max-age=31536000, immutable"]);
	await page.close();
});

test("on a touch screen controls and rows are 44 pixels high; a status is hit in its row", async (context) => {
	const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
	const { page } = await opened(context, numbered(21), "#/animals?limit=20", { page: phone });
	await shows(page, /^20 animals, /);
	const low = () =>
		page.evaluate<string[]>(`[...document.querySelectorAll("button, a, select, input, tbody tr")]
			.filter((element) => element.checkVisibility() && !element.matches(".skip, tbody a, .pill, [type=file]"))
			.filter((element) => (element.closest("label") ?? element).getBoundingClientRect().height < 44)
			.map((element) => element.outerHTML)`);
	assert.deepEqual(await low(), []);
	const pill = await page.locator("tbody .pill").first().boundingBox();
	assert.ok(pill);
	await page.touchscreen.tap(pill.x + 10, pill.y - 12);
	await page.getByRole("menu", { name: "Status of Animal 1" }).waitFor();
	assert.deepEqual(await low(), []);
	await page.keyboard.press("Escape");
	await page.getByRole("button", { name: "Select", exact: true }).tap();
	await shows(page, "0 selected");
	assert.deepEqual(await low(), []);
	await page.keyboard.press("Escape");
	const first = await page.locator("tbody tr").first().boundingBox();
	assert.ok(first && first.y <= 0.3 * 844, `the first animal begins at ${first?.y} of 844`);
});

test("thirty animals fit on a laptop's screen, and nothing moves when data arrive", async (context) => {
	const names = "Rex Luna Bella Møller Nala Otto Pip Zoë Kiwi Mochi Bruno Hazel Finn Sasha Ivy Juno Kai Lola";
	const service = await testService(context);
	await addPets(service, `${names} ${names} ${names}`.split(" "));
	const animalNames = ["Dog", "Cat", "Guinea pig", "Rabbit", "Bird", "Ferret", "Tortoise"];
	await service.store.categories.apply(animalNames.map((name, at) => ({ id: BigInt(at + 1), name })));
	const laptop = { viewport: { width: 1440, height: 900 } };
	const { page } = await openConsole(context, service.url, { hash: "#/animals?id=5", page: laptop });
	let animals = {};
	await page.route("**/console/activity", async (route) => {
		const response = await route.fetch();
		const figures = await response.json();
		await route.fulfill({ response, json: { ...figures, animals: { ...figures.animals, ...animals } } });
	});
	await page.evaluate(`new PerformanceObserver((list) => {
		for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) globalThis.shifted = (globalThis.shifted ?? 0) + value;
	}).observe({ type: "layout-shift", buffered: true })`);
	await signIn(page, service.key);
	await panel(page, "Nala").waitFor();
	await shows(page, "30 animals, ids 1 to 30 · more follow");
	await page.getByRole("button", { name: "All 54" }).waitFor();
	const last = await page.locator("tbody tr").last().boundingBox();
	const foot = await page.getByRole("navigation", { name: "Pages" }).boundingBox();
	const isWhole = last && foot && last.y + last.height <= foot.y + 1 && foot.y + foot.height <= 900;
	assert.ok(isWhole, JSON.stringify([last, foot]));
	const shifted = await page.evaluate<number>("globalThis.shifted ?? 0");
	assert.ok(shifted < 0.02, `layout shift ${shifted}`);
	await page.mouse.move(0, 0);
	animals = { available: 12_345_678, pending: 999_999, sold: 888_888, none: 77_777 };
	await page.getByRole("button", { name: "Pending 1M" }).waitFor();
	for (const [width, height] of Object.entries({ 1280: 720, 1440: 877, 1024: 600 })) {
		await resize(page, Number(width), height);
		await page.locator("tbody tr").nth(9).scrollIntoViewIfNeeded();
		await page.evaluate("document.querySelector('.rows').scrollBy(0, 70)");
		await until("whole rows", () => page.evaluate<boolean>(cutsNoRow));
		const tops = await page.evaluate<number[]>(
			`[...document.querySelectorAll("h1, .chip, .actions button, .actions a")].filter((one) => one.checkVisibility() && getComputedStyle(one).clipPath === "none")
				.map((one) => { const { top, height } = one.getBoundingClientRect(); return Math.round(top + height / 2); })`,
		);
		if (Number(width) >= 1280) assert.equal(new Set(tops).size, 1, `one row of tools at ${width}: ${tops}`);
		const unseen = "((chips) => chips.scrollWidth - chips.clientWidth)(document.querySelector('.chips'))";
		const hidden = await page.evaluate<number>(unseen);
		assert.equal(hidden, 0, `${hidden} pixels of the chips are hidden at ${width}`);
	}
});

/** Whether neither the upper nor the lower edge of the scrolling list cuts a row. */
const cutsNoRow = `(() => {
	const rows = document.querySelector(".rows").getBoundingClientRect();
	const head = document.querySelector("thead").getBoundingClientRect();
	return [...document.querySelectorAll("tbody tr")].every((row) => {
		const { top, bottom } = row.getBoundingClientRect();
		return [head.bottom, rows.bottom].every((edge) => bottom <= edge + 1 || top >= edge - 1);
	});
})()`;
