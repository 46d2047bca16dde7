// The console behind a proxy that adds a prefix to all addresses.

import assert from "node:assert/strict";
import { createServer, request } from "node:http";
import type { TestContext } from "node:test";
import { test } from "../support/browser.ts";
import { ask } from "../support/caller.ts";
import { listenFor } from "../support/listen.ts";
import { testService } from "../support/service.ts";
import { addPets, signedIn } from "./console.ts";
import { button, inTable, row } from "./page.ts";
import { click, fillIn, follow } from "./steps.ts";

/** A proxy that serves the service below /shop/animals, and nothing else. @returns the address with the prefix */
async function proxied(context: TestContext, url: string): Promise<string> {
	const proxy = createServer((incoming, outgoing) => {
		const { url: path = "", method, headers } = incoming;
		if (!path.startsWith("/shop/animals/")) return void outgoing.writeHead(404).end("not here");
		const forwarded = request(url + path.slice("/shop/animals".length), { method, headers }, (reply) => {
			outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
			reply.pipe(outgoing);
		});
		forwarded.on("error", () => outgoing.destroy());
		incoming.pipe(forwarded);
	});
	return `http://127.0.0.1:${await listenFor(context, proxy)}/shop/animals`;
}

test("below a proxy's prefix the console lists, adds, loads each part and finds the reference", async (context) => {
	const service = await testService(context);
	await addPets(service, ["Rex"]);
	const root = await proxied(context, service.url);
	assert.equal((await ask(`${root}/console/`)).headers.location, "../console");
	const { page, errors } = await signedIn(context, { url: root, key: service.key });
	await button(page, "Add animal").click();
	await fillIn(page, "Luna", "2");
	await click(page, "Add", inTable(page, "Luna"));
	await page.keyboard.press("Escape");
	await row(page, "Rex").click();
	await click(page, page.getByText("For developers"), page.getByText("Copy curl: list"));
	await follow(page, "Changes", page.getByText("Nothing was changed yet."));
	const reference = page.waitForEvent("popup");
	await page.getByRole("link", { name: "Reference" }).click();
	const opened = await reference;
	await opened.getByRole("heading", { level: 1 }).waitFor();
	assert.equal(opened.url(), `${root}/docs`);
	assert.deepEqual(errors, []);
});
