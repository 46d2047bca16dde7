// `animal-store pets set-status`, `rename`, `remove` and `audit list`, while services run.

import assert from "node:assert/strict";
import { hostname, userInfo } from "node:os";
import { type TestContext, test } from "node:test";
import { callerOf } from "../support/caller.ts";
import { call } from "../support/command.ts";
import { databaseFor } from "../support/postgres.ts";
import { keyFor, startProgram } from "../support/program.ts";
import { temporaryStore } from "../support/service.ts";
import { withStore } from "../support/store-reads.ts";

async function shop(context: TestContext, engine: "sqlite" | "postgres") {
	const databaseUrl = engine === "sqlite" ? temporaryStore(context) : (await databaseFor(context)).url;
	const environment = { DATABASE_URL: databaseUrl };
	/** Runs a command with the store's environment. */
	const run = (...parameters: string[]) => call(parameters, { environment });
	return { databaseUrl, environment, run, key: await keyFor(databaseUrl) };
}

for (const engine of ["sqlite", "postgres"] as const) {
	test(`${engine}: an edit is in the next reply of every node; its create gets the first reply`, async (context) => {
		const store = await shop(context, engine);
		const startNode = async () => callerOf((await startProgram(context, store.environment)).url, store.key);
		const one = await startNode();
		const nodes = [one, await startNode()];
		const rex = { name: "Rex", categoryId: 1, status: "available" };
		const { body: firstBody } = await one.create(rex, "rex");
		await one.create({ ...rex, name: "Mia" }, "mia");
		await one.create({ ...rex, name: "Bo" }, "bo");
		const paths = ["/v1/pets/1", "/v1/pets?limit=2", "/v1/pets?status=available"];
		const edits: [edit: string[], pet?: object][] = [
			[["set-status", "1", "sold"], { id: 1, name: "Rex", categoryId: 1, status: "sold" }],
			[["rename", "1", "Rex the 2nd"], { id: 1, name: "Rex the 2nd", categoryId: 1, status: "sold" }],
			[["set-status", "1", "none"], { id: 1, name: "Rex the 2nd", categoryId: 1 }],
			[["remove", "1", "--yes"]],
		];
		for (const [index, [edit, pet]] of edits.entries()) {
			const before = await Promise.all(paths.map(async (path) => (await one.get(path)).headers["etag"] ?? ""));
			const { code, stderr } = await store.run("pets", ...edit);
			assert.equal(code, 0, stderr);
			for (const node of nodes) {
				const again = (path: string, place: number) => node.get(path, { "if-none-match": before[place] ?? "" });
				const replies = await Promise.all(paths.map(again));
				const bodies = replies.map(({ body }) => body);
				// Only the first edit changes the list of available animals: the animal leaves it.
				const statuses = replies.map(({ status }) => status);
				assert.deepEqual(statuses, [pet ? 200 : 404, 200, index === 0 ? 200 : 304]);
				if (pet) assert.deepEqual(JSON.parse(bodies[0] ?? ""), pet);
				assert.deepEqual(JSON.parse(bodies[1] ?? "")[0], pet ?? { ...rex, id: 2, name: "Mia" });
				const repeated = await node.create(rex, "rex");
				assert.deepEqual([repeated.status, repeated.headers["idempotency-replayed"]], [201, "true"]);
				assert.equal(repeated.body, firstBody);
			}
		}
		const { stdout } = await store.run("audit", "list", "--json");
		const by = `${userInfo().username}@${hostname()}`;
		const rows = JSON.parse(stdout) as { at: string }[];
		for (const { at } of rows) assert.ok(Math.abs(Date.parse(at) - Date.now()) < 600_000);
		const untimed = rows.map((row) => ({ ...row, at: "" }));
		assert.deepEqual(untimed, [
			{ id: 1, at: "", by, petId: 1, action: "set-status", fromStatus: "available", toStatus: "sold" },
			{ id: 2, at: "", by, petId: 1, action: "rename" },
			{ id: 3, at: "", by, petId: 1, action: "set-status", fromStatus: "sold" },
			{ id: 4, at: "", by, petId: 1, action: "remove" },
		]);
	});
}

test("a removal is asked about on a terminal; each edit records its editor", async (context) => {
	const store = await shop(context, "sqlite");
	await withStore(store.databaseUrl, async ({ createPet }) => {
		for (const name of ["Rex", "Mia", "Kai", "Bo"]) await createPet({ name, categoryId: 1n });
	});
	assert.deepEqual((await store.run("audit", "list")).stdout, "");
	assert.deepEqual((await store.run("audit", "list", "--json")).stdout, "[]\n");

	const outputs = [
		[["pets", "set-status", "1", "sold", "--by", "Ann 犬"], "animal 1 has the status sold\n"],
		[["pets", "set-status", "1", "sold"], "animal 1 has the status sold already\n"],
		[["pets", "rename", "1", "Max"], "animal 1 has its new name\n"],
		[["pets", "remove", "2", "--yes", "--json"], '{"id":2,"action":"remove","outcome":"edited"}\n'],
		[["pets", "remove", "2"], "animal 2 is removed already\n"],
	] as const;
	const expected = { code: 0, signal: null, stderr: `in ${store.databaseUrl}\n` };
	for (const [parameters, stdout] of outputs) assert.deepEqual(await store.run(...parameters), { ...expected, stdout });
	for (const [typed, code] of Object.entries({ "\n": 1, "": 1, "n\n": 1, "y\n": 0 })) {
		const asked = await call(["pets", "remove", "3"], { environment: store.environment, typed });
		assert.match(asked.stderr, /^remove Kai \(animal 3\)\? This cannot be undone \[y\/N\]\n/);
		assert.equal(asked.code, code, JSON.stringify(typed));
	}
	assert.equal((await call(["pets", "remove", "4"], { environment: store.environment, typed: " Yes \n" })).code, 0);
	const { stdout } = await store.run("audit", "list");
	const by = `${userInfo().username}@${hostname()}`;
	const table = stdout.replaceAll(/\d{4}-\d\d-\d\dT\S+/g, "time").replaceAll(/ {2,}/g, "  ");
	assert.deepEqual(table.split("\n"), [
		"id  at  animal  action  change  by",
		"1  time  1  set-status  none → sold  Ann 犬",
		`2  time  1  rename  ${by}`,
		`3  time  2  remove  none  ${by}`,
		...[3, 4].map((petId) => `${petId + 1}  time  ${petId}  remove  none  ${by}`),
		"",
	]);
});
