// A declared filter by `categoryId` works everywhere. Run by test/house/new-filter.test.ts, in a copy of the tree.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { keyFor } from "../support/key-for.ts";
import { databaseFor } from "../support/postgres.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/service.ts";
import { slowMs } from "../support/until.ts";

test("a new filter selects animals alone and with others, in pages, cursors, links and commands", {
	timeout: slowMs, // It starts services and commands.
}, async (context) => {
	const database = await databaseFor(context);
	for (const store of [`sqlite:${join(temporaryFolder(context), "a.db")}`, database.url]) {
		const key = await keyFor(store);
		const service = await startProgram(context, { DATABASE_URL: store });
		const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
		const pets = `${service.url}/v1/pets`;
		for (const [name, categoryId, status] of [
			["Rex", 1, "sold"],
			["Mia", 2, "sold"],
			["Bo", 2, "available"],
			["Max", 2, "sold"],
		])
			await fetch(pets, { method: "POST", headers, body: JSON.stringify({ name, categoryId, status }) });

		async function walk(query: string): Promise<string[]> {
			const names: string[] = [];
			for (let url: string | undefined = `${pets}?limit=1&${query}`; url; ) {
				const reply: Response = await fetch(url, { headers });
				assert.equal(reply.status, 200, url);
				for (const pet of (await reply.json()) as { name: string }[]) names.push(pet.name);
				url = /<([^>]*)>; rel="next"/.exec(reply.headers.get("link") ?? "")?.[1];
			}
			return names;
		}
		assert.deepEqual(await walk("categoryId=2"), ["Mia", "Bo", "Max"]);
		assert.deepEqual(await walk("categoryId=2&status=sold"), ["Mia", "Max"]);
		const first = await fetch(`${pets}?limit=1&categoryId=2`, { headers });
		const next = new URL(/<([^>]*)>; rel="next"/.exec(first.headers.get("link") ?? "")?.[1] ?? "");
		for (const categoryId of [undefined, "1"]) {
			next.searchParams.delete("categoryId");
			if (categoryId) next.searchParams.set("categoryId", categoryId);
			assert.equal((await fetch(next, { headers })).status, 400, "the cursor of another filter");
		}
		assert.equal((await fetch(`${pets}?categoryId=x`, { headers })).status, 400);
		const environment = { ANIMAL_STORE_URL: service.url, ANIMAL_STORE_KEY: key };
		const listed = await runProgram(["pets", "list", "--category-id", "1"], { environment });
		assert.match(listed.stdout, /^1\t1\tsold\tRex\n$/);
		await service.stop();
	}
});
