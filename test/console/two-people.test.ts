// A day of two people, each with a key and a window: nobody loses sight of what the other does.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { createKey } from "../../src/keys/issue.ts";
import { hold, settled } from "../support/browser.ts";
import { testService } from "../support/service.ts";
import { readPet } from "../support/store-reads.ts";
import { addPets, names, signedIn, takeOut } from "./console.ts";
import { button, inTable, message, namesOn, panel, row } from "./page.ts";
import { click, enter, fillIn, follow, hit, press, sell } from "./steps.ts";

/** The windows of Ann, who may not see the figures of the server, and of Jonas. */
async function twoWindows(context: TestContext) {
	const service = await testService(context);
	await addPets(service, names);
	await service.store.categories.apply([{ id: 1n, name: "Dog" }]);
	const windowOf = async (name: string) => {
		const { key } = await createKey(service.issuer, { name, scopes: ["pets:read", "pets:write", "pets:edit"] });
		const { page, errors } = await signedIn(context, { ...service, key });
		await page.evaluate("location.hash = '#/animals'"); // The newest first, as at the first visit.
		await page.locator("tbody th.name").first().getByText("Kiwi", { exact: true }).waitFor();
		return { page, errors };
	};
	const [{ page: ann, errors }, { page: jonas }] = [await windowOf("Ann"), await windowOf("Jonas")];
	return { service, ann, jonas, errors };
}

const says = (page: Page, text: string | RegExp) => message(page, text).waitFor();

test("a day of two people: both see who added, sold, moved and removed what, and undo it", async (context) => {
	const { service, ann, jonas, errors } = await twoWindows(context);
	// Jonas adds an animal: it is the first of his list at once, and of Ann's soon.
	await press(jonas, "n");
	await fillIn(jonas, "Rosa", "1");
	await hit(jonas, "Enter", /Added Rosa with the id 8/);
	await press(jonas, "Escape");
	for (const page of [jonas, ann]) {
		await row(page, "Rosa").waitFor();
		assert.equal((await namesOn(page))[0], "Rosa");
	}
	// Ann sells Kiwi and moves Luna, looks at the changes meanwhile, and takes back both, step by step.
	await sell(ann, "Kiwi: available", "Kiwi is sold");
	const release = await hold(ann, "**/console/edits");
	await sell(ann, "Luna: pending");
	await ann.getByRole("link", { name: "Changes" }).click();
	release();
	await says(ann, "Luna is sold");
	await ann.getByText("Luna: Marked as sold by Ann").waitFor();
	await hit(ann, "Control+z Control+z", ann.getByText("Kiwi: Marked as available by Ann"));
	const [luna, kiwi] = [await readPet(service.store, 2n), await readPet(service.store, 7n)];
	assert.deepEqual([luna?.status, kiwi?.status], ["pending", "available"]);
	// Both take Bella: Jonas, who is later, learns it and what it is now; the message stays beside the next one.
	await follow(ann, "Animals", inTable(jonas, "Kiwi: available"));
	await settled(jonas);
	await hold(jonas, "**/console/activity");
	await row(ann, "Bella").click();
	await button(ann, "Rename Bella").click();
	await enter(ann, "Belle");
	await says(ann, "Renamed to Belle");
	await click(jonas, inTable(jonas, "Bella: sold"), jonas.getByRole("menu"));
	await press(jonas, "p");
	await says(jonas, "Ann was first and has renamed Bella to Belle. Your change was not made.");
	await sell(jonas, "Rex: available", "Rex is sold");
	await says(jonas, /^Ann was first/); // A problem stays until it is closed.
	await click(jonas, "Show Belle", panel(jonas, "Belle").getByText("Renamed by Ann"));
	await button(jonas, "Close").click();
	// Jonas removes Otto; Ann, who looks at it, is told by name. The changes of Jonas are a click away.
	await jonas.unroute("**/console/activity");
	await press(ann, "Escape");
	await click(ann, row(ann, "Otto"), panel(ann, "Otto"));
	await press(jonas, "Escape");
	await row(jonas, "Otto").click();
	await button(jonas, "Remove Otto …").click();
	await click(jonas, "Remove Otto", ann.getByText("Jonas removed Otto", { exact: true }));
	await ann.getByRole("link", { name: "Changes" }).click();
	await ann.getByRole("link", { name: "Jonas" }).first().click();
	await ann.getByRole("link", { name: "Ann" }).first().waitFor({ state: "detached" });
	await ann.getByRole("link", { name: "Rex" }).waitFor();
	const told = await ann.locator(".changes li p").allTextContents();
	assert.deepEqual(told, ["Otto: Removed by Jonas", "Rex: Marked as sold by Jonas"]);
	await click(ann, "Undo: Rex available", inTable(jonas, "Rex: available"));
	takeOut(errors, /404/); // Of the animal that was removed.
});
