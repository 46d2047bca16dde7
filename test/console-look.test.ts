// The accessibility of the web console: keyboard, light and dark, narrow screens, axe, and slow connections.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { Browser, Locator, Page } from "playwright-core";
import { screenshot, startBrowser } from "./browser.ts";
import { addPets, assertAccessible, namesOn, numbered, openConsole, shows, signIn, takeOut } from "./console.ts";
import { create, testService } from "./service.ts";

let browser: Browser;
before(async () => {
	browser = await startBrowser();
});
after(() => browser.close());

test("the keyboard alone is enough to sign in, page, switch views and sign out, and the focus is always visible", async (context) => {
	const service = await testService(context);
	await addPets(service, numbered(21));
	const { page } = await openConsole(context, browser, service.url);
	const focused = () => page.evaluate<string>("document.activeElement.innerText || document.activeElement.id");
	async function tabTo(text: string): Promise<void> {
		for (let count = 0; (await focused()) !== text; count++) {
			assert.ok(count < 30, `Tab never comes to ${text}`);
			await page.keyboard.press("Tab");
			const outline = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle");
			if ((await page.evaluate("document.activeElement.tagName")) !== "BODY")
				assert.notEqual(outline, "none", await focused());
		}
	}
	await tabTo("key");
	await page.keyboard.type(service.key);
	await page.keyboard.press("Enter");
	await shows(page, "20 animals on this page");
	assert.equal(await focused(), "Animals");
	await tabTo("Next");
	await page.keyboard.press("Enter");
	await shows(page, "1 animal on this page");
	assert.equal(await focused(), "Next", "the focus stays for who pages on");
	await page.keyboard.press("Shift+Tab");
	await page.keyboard.press("Enter");
	await shows(page, "20 animals on this page");
	await tabTo("Activity");
	await page.keyboard.press("Enter");
	await page.getByRole("heading", { name: "Activity" }).waitFor();
	assert.equal(await focused(), "Activity");
	assert.equal(await page.title(), "Activity · animal-store");
	await tabTo("Sign out");
	await page.keyboard.press("Enter");
	await page.getByLabel("API key").waitFor();
	assert.equal(await page.title(), "Sign in · animal-store");
});

for (const colorScheme of ["light", "dark"] as const) {
	for (const width of [1280, 375]) {
		test(`axe finds nothing, and nothing is cut off, in ${colorScheme} at ${width} pixels`, async (context) => {
			const service = await testService(context);
			await addPets(service, numbered(21));
			await service.send(create('{"name":"Long","categoryId":-9223372036854775808}'));
			const page = { colorScheme, viewport: { width, height: 800 } };
			const watched = await openConsole(context, browser, service.url, { page, hash: "#/animals?limit=100" });
			await assertEveryViewAccessible(watched.page, service.key);
			takeOut(watched.errors, /40[014]/);
		});
	}
}

async function assertEveryViewAccessible(page: Page, key: string): Promise<void> {
	await page.getByLabel("API key").fill("pets_wrong");
	await page.keyboard.press("Enter");
	await shows(page, /This API key does not work/);
	await assertAccessible(page, "sign-in");
	await signIn(page, key);
	await shows(page, "22 animals on this page");
	await assertAccessible(page, "animals");
	await page.getByLabel("Category id").fill("9223372036854775808");
	await page.keyboard.press("Enter");
	await shows(page, "The animal was not added");
	await page.getByLabel("Id of an animal").fill("99");
	await page.keyboard.press("Enter");
	await shows(page, "There is no animal with this id.");
	await assertAccessible(page, "refusals");
	await page.getByLabel("Name").fill("Rosa");
	await page.getByLabel("Category id").fill("9007199254740993");
	await page.keyboard.press("Enter");
	await shows(page, "23 animals on this page");
	await assertAccessible(page, "an added animal");
	await page.evaluate("location.hash = '#/animals?cursor=none'");
	await shows(page, "The list is not shown");
	await assertAccessible(page, "a failure");
}

test("the console loads at most 60 KB, and its plots only when they are opened", async (context) => {
	const folder = fileURLToPath(new URL("../dist/console/", import.meta.url));
	const sizes = readdirSync(folder, { recursive: true, encoding: "utf8" })
		.filter((name) => /\.(html|js|css)$/.test(name))
		.map((name) => gzipSync(readFileSync(join(folder, name))).length);
	const total = sizes.reduce((sum, size) => sum + size, 0);
	assert.ok(sizes.length >= 5 && total <= 60 * 1024, `${total} bytes`);
	const service = await testService(context);
	const { page } = await openConsole(context, browser, service.url);
	const asked: string[] = [];
	page.on("request", (request) => asked.push(request.url()));
	await signIn(page, service.key);
	await shows(page, "There are no animals yet.");
	assert.deepEqual(
		asked.filter((url) => /\.(js|css)$/.test(url)),
		[],
	);
	await page.getByRole("link", { name: "Activity" }).click();
	await page.getByText("Requests per second").waitFor();
	assert.equal(asked.filter((url) => url.includes("/assets/activity-")).length, 2);
	await page.close();
});

test("the animals view shows its first animal and the one looked up on one screen; a screenshot is saved", async (context) => {
	const names = [
		"Rex",
		"Luna",
		"Bella",
		"Møller",
		"Nala",
		"Otto",
		"Pip",
		"Zoë",
		"Kiwi",
		"Mochi",
		"Bruno",
		"Hazel",
		"Finn",
	];
	const service = await testService(context);
	await addPets(service, [...names, ...names, ...names]);
	const { page } = await openConsole(context, browser, service.url, {
		hash: "#/animals?limit=20&id=7",
		page: { viewport: { width: 1280, height: 800 } },
	});
	await signIn(page, service.key);
	await page.getByRole("region", { name: "Look up" }).getByText("Pip").waitFor();
	await shows(page, "20 animals on this page");
	assert.equal((await namesOn(page))[6], "Pip");
	for (const seen of [
		page.getByRole("rowheader", { name: "Rex" }).first(),
		page.getByText("Look-up by id will be removed"),
	])
		assert.ok(await isOnScreen(seen), String(seen));
	await page.mouse.move(0, 0);
	await screenshot(page, "console-animals");
});

/** Whether all of it is on the screen, without scrolling. */
async function isOnScreen(element: Locator): Promise<boolean> {
	const box = await element.boundingBox();
	const size = element.page().viewportSize();
	return box !== null && size !== null && box.y >= 0 && box.y + box.height <= size.height;
}
