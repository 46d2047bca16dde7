// A declared field `breed` works everywhere. Run by test/house/new-field.test.ts, in a copy of the tree.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { keyFor } from "../support/key-for.ts";
import { databaseFor } from "../support/postgres.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/service.ts";
import { slowMs } from "../support/until.ts";

test("a new field of an animal round-trips through POST, GET, list, copy, export and import", {
	timeout: slowMs, // It starts some thirty commands and services.
}, async (context) => {
	const folder = temporaryFolder(context);
	const path = (name: string) => join(folder, name);
	const database = await databaseFor(context);
	const stores = [`sqlite:${path("a.db")}`, database.url, `sqlite:${path("b.db")}`];
	const [first = "", second = "", third = ""] = stores;
	const key = await keyFor(first);
	const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
	const rex = { id: 1, name: "Rex", categoryId: 1, status: "available", breed: "collie" };
	const mia = { id: 2, name: "Mia", categoryId: 2 };

	async function withService(databaseUrl: string, work: (url: string) => Promise<void>): Promise<void> {
		const service = await startProgram(context, { DATABASE_URL: databaseUrl });
		await work(service.url);
		await service.stop();
	}
	const get = async (url: string) => (await fetch(url, { headers })).json();

	await withService(first, async (url) => {
		for (const { id: _id, ...pet } of [rex, mia]) {
			const sent = { method: "POST", headers: { ...headers, "idempotency-key": pet.name }, body: JSON.stringify(pet) };
			const created = await fetch(`${url}/v1/pets`, sent);
			assert.equal(created.status, 201);
			assert.equal((await fetch(`${url}/v1/pets`, sent)).headers.get("idempotency-replayed"), "true");
			const other = { ...sent, body: JSON.stringify({ ...pet, breed: "poodle" }) };
			assert.equal((await fetch(`${url}/v1/pets`, other)).status, 422);
		}
	});
	for (const [from, to] of [
		[first, second],
		[second, third],
	] as const) {
		const copied = await runProgram(["copy", "--from", from, "--to", to]);
		assert.equal(copied.code, 0, copied.stderr);
	}
	for (const store of stores)
		await withService(store, async (url) => {
			assert.deepEqual(await get(`${url}/v1/pets`), [rex, mia]);
			assert.deepEqual(await get(`${url}/v1/pets/1`), rex);
			const environment = { ANIMAL_STORE_URL: url, ANIMAL_STORE_KEY: key };
			for (const format of ["csv", "ndjson", "json"]) {
				const file = path(`animals.${format}`);
				const exported = await runProgram(["export", file, "--force"], { environment });
				assert.equal(exported.code, 0, exported.stderr);
				assert.match(readFileSync(file, "utf8"), /collie/);
			}
		});
	writeFileSync(path("more.csv"), "name,categoryId,status,breed\nBo,1,,terrier\n");
	await withService(third, async (url) => {
		const environment = { ANIMAL_STORE_URL: url, ANIMAL_STORE_KEY: key };
		for (const name of ["animals.csv", "animals.ndjson", "animals.json", "more.csv"]) {
			const imported = await runProgram(["import", path(name), "--concurrency", "1"], { environment });
			assert.equal(imported.code, 0, imported.stderr);
		}
		const pets = (await get(`${url}/v1/pets`)) as { breed?: string }[];
		const breeds = pets.map(({ breed = "-" }) => breed);
		assert.deepEqual(breeds, ["collie", "-", "collie", "-", "collie", "-", "collie", "-", "terrier"]);
		const made = await runProgram(["pets", "create", "--name", "Tom", "--category-id", "3", "--breed", "pug"], {
			environment,
		});
		assert.equal(made.stdout.trimEnd().split("\t").at(-1), "pug", "a later field comes last");
	});
});
