// The console's private endpoints for editing: edits that state what the editor saw, and the history of an animal.

import assert from "node:assert/strict";
import { test } from "node:test";
import { editsMax } from "../../src/contract/console.ts";
import { createKey } from "../../src/keys/issue.ts";
import { openStore } from "../../src/store/open.ts";
import { StorageUnavailable } from "../../src/store/store.ts";
import { posting } from "../support/pool.ts";
import { assertFailure, consoleReply, type TestService, testService } from "../support/service.ts";

const rex = { name: "Rex", categoryId: 9007199254740993n, status: "available" } as const;
const seen = { name: "Rex", status: "available" };

const post = posting("/console/edits");

/** Sends edits. @returns their results, with each animal as text */
async function edit(service: TestService, ...edits: object[]): Promise<unknown[]> {
	const body = await consoleReply(service, post({ edits }));
	return JSON.parse(body.replaceAll(/"pet":(\{[^}]*\})/g, (_, pet) => `"pet":${JSON.stringify(pet)}`)).results;
}

test("an edit changes the animal that was seen; each other state has its outcome", async (context) => {
	const service = await testService(context);
	for (const pet of [rex, rex, { name: "Mia", categoryId: 1n }]) await service.store.createPet(pet);
	const pet = (id: number, name: string, status = "available") =>
		`{"id":${id},"name":"${name}","categoryId":9007199254740993,"status":"${status}"}`;
	const sold = { id: 1, action: "set-status", status: "sold", seen };
	const bo = { id: 2, action: "rename", name: "Bo", seen };
	assert.deepEqual(await edit(service, sold, sold, { id: 1, action: "remove", seen }, bo), [
		{ outcome: "edited", pet: pet(1, "Rex", "sold") },
		{ outcome: "unchanged", pet: pet(1, "Rex", "sold") },
		{ outcome: "conflict", pet: pet(1, "Rex", "sold"), by: "test" },
		{ outcome: "edited", pet: pet(2, "Bo") },
	]);
	const mia = { id: 3, seen: { name: "Mia" } };
	const results = await edit(
		service,
		{ ...mia, action: "remove", seen },
		{ ...mia, action: "set-status", status: "sold" },
		{ ...mia, action: "set-status", seen: { name: "Mia", status: "sold" } },
		{ ...mia, action: "remove" },
		{ ...mia, action: "rename", name: "Max" },
		{ ...mia, id: 9, action: "remove" },
	);
	assert.deepEqual(results, [
		{ outcome: "conflict", pet: `{"id":3,"name":"Mia","categoryId":1}` },
		{ outcome: "edited", pet: `{"id":3,"name":"Mia","categoryId":1,"status":"sold"}` },
		{ outcome: "edited", pet: `{"id":3,"name":"Mia","categoryId":1}` },
		{ outcome: "edited" },
		{ outcome: "removed", by: "test" },
		{ outcome: "absent" },
	]);
	const audit = await service.store.edits.list(0n, 100);
	const lines = audit.map(({ petId, action, editor }) => `${editor}: ${petId} ${action}`);
	const actions = ["1 set-status", "2 rename", "3 set-status", "3 set-status", "3 remove"];
	assert.equal(lines.join(), actions.map((action) => `test: ${action}`).join());
	assert.equal((await service.send({ path: "/v1/pets" })).body, `[${pet(1, "Rex", "sold")},${pet(2, "Bo")}]`);
});

test("the category of an animal is edited as its status is, and may be a part of what was seen", async (context) => {
	const service = await testService(context);
	await service.store.createPet(rex);
	const { categoryId } = rex;
	const pet = (category: bigint) => `{"id":1,"name":"Rex","categoryId":${category},"status":"available"}`;
	const into = (to: bigint, seen: string) => `{"id":1,"action":"set-category","categoryId":${to},"seen":${seen}}`;
	const old = '{"name":"Rex","status":"available"}';
	const seen = (category: bigint) => `{"name":"Rex","categoryId":${category},"status":"available"}`;
	const edits = [
		into(categoryId - 1n, seen(categoryId - 1n)),
		into(categoryId - 1n, seen(categoryId - 2n)),
		into(categoryId - 1n, seen(categoryId)),
		into(-5n, old),
		`{"id":1,"action":"remove","seen":${seen(categoryId)}}`,
	];
	const { body } = await service.send(post(`{"edits":[${edits}]}`));
	const results = [
		`{"outcome":"conflict","pet":${pet(categoryId)}}`,
		`{"outcome":"conflict","pet":${pet(categoryId)}}`,
		`{"outcome":"edited","pet":${pet(categoryId - 1n)}}`,
		`{"outcome":"edited","pet":${pet(-5n)}}`,
		`{"outcome":"conflict","pet":${pet(-5n)},"by":"test"}`,
	];
	assert.equal(body, `{"results":[${results}]}`);
	assert.equal((await service.send({ path: "/v1/pets/1" })).body, pet(-5n));
	const history = JSON.parse((await service.send({ path: "/console/history?id=1" })).body);
	const change = { editor: "test", action: "set-category", fromCategoryId: Number(categoryId - 1n), toCategoryId: -5 };
	assert.deepEqual(history.edits[0], { id: 2, atMs: history.edits[0].atMs, ...change });
});

test("of two callers who saw the same animal, exactly one edits it, and the other learns who did", async (context) => {
	const service = await testService(context);
	const { key } = await createKey(service.issuer, { name: "front desk", scopes: ["pets:edit"] });
	await service.store.createPet(rex);
	const other = await openStore(service.databaseUrl, Date.now);
	context.after(() => other.close());
	for (let round = 0, name = "Rex"; round < 10; round++) {
		const seen = { name, status: "available" };
		const body = (next: string) => ({ edits: [{ id: 1, action: "rename", name: next, seen }] });
		const replies = await Promise.all([
			service.send(post(body(`${round} a`))),
			service.send(post(body(`${round} b`), { Authorization: `Bearer ${key}` })),
		]);
		const [a, b] = replies.map((reply) => JSON.parse(reply.body).results[0]);
		const [edited, refused, by] = a.outcome === "edited" ? [a, b, "test"] : [b, a, "front desk"];
		assert.deepEqual([edited.outcome, refused.outcome, refused.by], ["edited", "conflict", by]);
		assert.equal(refused.pet.name, edited.pet.name);
		name = edited.pet.name;
	}
	assert.equal((await other.edits.list(0n, 100)).length, 10);
});

test("the history of an animal has its newest 100 edits, and nobody else's", async (context) => {
	const service = await testService(context);
	for (let index = 0; index < 2; index++) await service.store.createPet(rex);
	service.clock.nowMs = 1_790_000_000_000;
	const { apply } = service.store.edits;
	const editor = "test";
	for (let index = 0; index < 51; index++) {
		await apply({ petId: 1n, editor, action: "rename", name: `${index}` });
		for (const status of ["sold", "available"] as const)
			await apply({ petId: 2n, editor, action: "set-status", status });
	}
	await apply({ petId: 1n, editor, action: "remove" });
	const ask = async (path: string) => JSON.parse(await consoleReply(service, { path: `/console/${path}` }));
	const history = async (id: number) => (await ask(`history?id=${id}`)).edits;
	const [removal, renaming, ...renamings] = await history(1);
	const common = { atMs: service.clock.nowMs, editor };
	assert.deepEqual(removal, { id: 154, ...common, action: "remove", fromStatus: "available" });
	assert.deepEqual(renaming, { id: 151, ...common, action: "rename" });
	assert.equal(renamings.length, 50);
	const changes = await history(2);
	assert.equal(changes.length, 100);
	assert.deepEqual(changes[0], { id: 153, ...common, action: "set-status", fromStatus: "sold", toStatus: "available" });
	assert.deepEqual(await history(3), []);
	const { edits: latest, next } = await ask("changes?limit=5");
	const named = (latest as { id: number; petId: number; pet?: { name: string } }[]).map(
		({ id, petId, pet }) => `${id} ${petId} ${pet?.name}`,
	);
	assert.deepEqual(named, ["154 1 undefined", "153 2 Rex", "152 2 Rex", "151 1 undefined", "150 2 Rex"]);
	const older = (await ask(`changes?limit=1&before=${next}&editor=${editor}`)).edits;
	assert.deepEqual(older, [{ ...changes[3], petId: 2, pet: latest[1].pet }]);
	assert.equal((await ask("changes")).edits.length, 50);
});

test("edits that are no JSON, or have more than 64 KiB, are refused", async (context) => {
	const service = await testService(context);
	assertFailure(await service.send(post("{")), "invalid_json");
	assertFailure(await service.send(post("{}", { "Content-Type": "text/plain" })), "unsupported_media_type");
	assertFailure(await service.send(post(" ".repeat(65_537))), "body_too_large");
});

test("as many edits as one request may have fit into it with the longest names", async (context) => {
	const service = await testService(context);
	const [id, categoryId] = [`${2n ** 63n - 1n}`, `${-(2n ** 63n)}`];
	const seen = `{"name":"${"𝄞".repeat(255)}","categoryId":${categoryId},"status":"available"}`;
	const change = `{"id":${id},"action":"set-category","categoryId":${categoryId},"seen":${seen}}`;
	const { body } = await service.send(post(`{"edits":[${Array(editsMax).fill(change)}]}`));
	assert.deepEqual(JSON.parse(body).results, Array(editsMax).fill({ outcome: "absent" }));
});

test("if the store refuses in the middle, the reply has the edits before; if all, it is 503", async (context) => {
	const service = await testService(context);
	const { edits } = service.store;
	for (let index = 0; index < 4; index++) await service.store.createPet(rex);
	const apply = edits.apply;
	let left = 2;
	let refusal: Error = new StorageUnavailable("the disk is full");
	edits.apply = async (given) => {
		if (left-- === 0) throw refusal;
		return apply(given);
	};
	const sold = [1, 2, 3, 4].map((id) => ({ id, action: "set-status", status: "sold", seen }));
	const outcomes = async () => ((await edit(service, ...sold)) as { outcome: string }[]).map(({ outcome }) => outcome);
	assert.deepEqual(await outcomes(), ["edited", "edited"]);
	assert.equal((await edits.list(0n, 9)).length, 2, "no edit after the failed one is tried");
	left = 2;
	assertFailure(await service.send(post({ edits: sold })), "storage_unavailable");
	assert.equal((await edits.list(0n, 9)).length, 2);
	assert.deepEqual(await outcomes(), ["unchanged", "unchanged", "edited", "edited"]);
	left = 1;
	refusal = new Error("a bug");
	const back = [1, 2].map((id) => ({ id, action: "set-status", status: "pending", seen: { ...seen, status: "sold" } }));
	assertFailure(await service.send(post({ edits: back })), "internal_error");
});
