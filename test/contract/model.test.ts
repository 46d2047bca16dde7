// The service agrees with a simple model of creates, concurrent edits by two editors, and reads.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { inspect, isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { type PetStatus, petStatuses } from "../../src/contract/pet.ts";
import { openStore } from "../../src/store/open.ts";
import type { EditResult, NewEdit } from "../../src/store/store.ts";
import { linksOf, pathOf } from "../support/caller.ts";
import { seed } from "../support/random.ts";
import { beforeStop, create, testService } from "../support/service.ts";
import type { Reply } from "../support/wire.ts";

fc.configureGlobal({ seed });

interface Animal {
	name: string;
	status: PetStatus | undefined;
	categoryId: bigint;
}

type Step =
	| { kind: "create"; animals: Animal[]; isRepeated: boolean }
	/** Two editors edit the animal whose id is the last id minus `back`. */
	| { kind: "edit"; back: number; changes: [Change, Change] }
	| { kind: "follow"; rel: string };
type Change =
	| { action: "set-status"; status: PetStatus | undefined }
	| { action: "set-category"; categoryId: bigint }
	| { action: "rename"; name: string }
	| { action: "remove" };

const name = fc.constantFrom("Rex", "Mia", "犬");
const status = fc.constantFrom(undefined, ...petStatuses);
const categoryId = fc.constantFrom(1n, 2n);
const change: fc.Arbitrary<Change> = fc.oneof(
	status.map((status) => ({ action: "set-status" as const, status })),
	categoryId.map((categoryId) => ({ action: "set-category" as const, categoryId })),
	name.map((name) => ({ action: "rename" as const, name })),
	fc.constant({ action: "remove" as const }),
);
const animals = fc.array(fc.record({ name, status, categoryId }), { minLength: 1, maxLength: 6 });
const step: fc.Arbitrary<Step> = fc.oneof(
	fc.record({ kind: fc.constant("create" as const), animals, isRepeated: fc.boolean() }),
	fc.record({ kind: fc.constant("edit" as const), back: fc.nat(8), changes: fc.tuple(change, change) }),
	fc.record({ kind: fc.constant("follow" as const), rel: fc.constantFrom("first", "prev", "next", "last") }),
);

/** Edits an animal of the model. An edit that changes something is added to `rows`. @returns the outcome */
function edit(model: Map<number, Animal>, given: NewEdit, rows: object[]): EditResult["outcome"] {
	const { petId, editor, ...change } = given;
	const before = model.get(Number(petId));
	if (!before) return "removed";
	const { action, ...fields } = change;
	const after: Animal = { ...before, ...fields };
	if (action !== "remove" && isSame(after, before)) return "unchanged";
	if (action === "remove") model.delete(Number(petId));
	else model.set(Number(petId), after);
	const fromStatus = (action === "set-status" || action === "remove") && before.status;
	const toStatus = action === "set-status" && after.status;
	const categories = { fromCategoryId: before.categoryId, toCategoryId: after.categoryId };
	const moved = action === "set-category" && categories;
	rows.push({ editor, action, petId, ...(fromStatus && { fromStatus }), ...(toStatus && { toStatus }), ...moved });
	return "edited";
}

const isSame = (one: Animal, other: Animal) =>
	one.name === other.name && one.status === other.status && one.categoryId === other.categoryId;

function toReply(id: number, { name, status, categoryId }: Animal) {
	return { id, name, categoryId: Number(categoryId), ...(status && { status }) };
}

/** Where a page begins or ends. */
type Position = { after: number; upTo?: undefined } | { upTo: number };

function pageOf(model: Map<number, Animal>, position: Position, limit: number, filter: PetStatus | undefined) {
	const { after = 0, upTo = Infinity } = position as { after?: number; upTo?: number };
	const isBackward = "upTo" in position;
	const all = [...model].filter(([id, { status }]) => id > after && id <= upTo && (!filter || status === filter));
	const pets = isBackward ? all.slice(-limit) : all.slice(0, limit);
	const [first = 0, last = 0] = [pets[0]?.[0], pets.at(-1)?.[0]];
	const hasMore = all.length > limit;
	const links = new Map<string, Position>([["first", { after: 0 }]]);
	if (isBackward ? hasMore : after > 0) links.set("prev", { upTo: isBackward ? first - 1 : after });
	if (isBackward ? upTo < Infinity : hasMore) links.set("next", { after: isBackward ? upTo : last });
	links.set("last", { upTo: Infinity });
	const rows = pets.map(([id, pet]) => toReply(id, pet));
	return { body: JSON.stringify(rows), links };
}

async function scene(context: TestContext) {
	const { send, store, databaseUrl } = await testService(context);
	const other = await openStore(databaseUrl, Date.now);
	beforeStop(context, () => other.close());
	let model = new Map<number, Animal>();
	let lastId = 0;
	let lastEdit = 0n;
	const latest = new Map<string, Reply>();

	/** Reads with the latest reply's ETag: 304 exactly when that reply is still right. */
	async function read(path: string): Promise<Reply> {
		const before = latest.get(path);
		const reply = await send({ path, headers: { "If-None-Match": before?.headers["etag"] } });
		if (reply.status === 200) latest.set(path, reply);
		if (before && reply.status === 200) assert.notEqual(before.headers["etag"], reply.headers["etag"], path);
		return reply.status === 304 ? { ...(before as Reply), headers: reply.headers } : reply;
	}

	async function createAll({ animals, isRepeated }: Extract<Step, { kind: "create" }>): Promise<void> {
		for (const animal of animals) {
			const headers = { "Idempotency-Key": `model-${lastId}` };
			const request = create({ ...animal, categoryId: Number(animal.categoryId) }, isRepeated ? headers : {});
			const replies = await Promise.all(isRepeated ? [send(request), send(request)] : [send(request)]);
			const body = toReply(++lastId, animal);
			for (const reply of replies) assert.deepEqual([reply.status, reply.body], [201, JSON.stringify(body)]);
			const replayed = replies.filter(({ headers }) => headers["idempotency-replayed"] === "true");
			assert.equal(replayed.length, replies.length - 1);
			model.set(lastId, animal);
		}
	}

	/** Two editors edit at once. Outcomes and audit log must be as if one edit had come after the other. */
	async function editAtOnce({ back, changes }: Extract<Step, { kind: "edit" }>): Promise<void> {
		const petId = lastId - back;
		if (petId < 1) return;
		const edits = changes.map((change, place) => ({ petId: BigInt(petId), editor: `editor ${place}`, ...change }));
		const [one, two] = edits as [NewEdit, NewEdit];
		const results = await Promise.all([store.edits.apply(one), other.edits.apply(two)]);
		const outcomes = results.map(({ outcome }) => outcome);
		const rows = (await store.edits.list(lastEdit, 9)).map(({ id, atMs: _, ...row }) => {
			assert.equal(id, ++lastEdit);
			return row;
		});
		const ways = [edits, [two, one]].map((order) => {
			const after = new Map(model);
			const rows: object[] = [];
			const outcomeOf = new Map(order.map((each) => [each, edit(after, each, rows)]));
			return { after, rows, outcomes: edits.map((each) => outcomeOf.get(each)) };
		});
		const way = ways.find((way) => isDeepStrictEqual([way.outcomes, way.rows], [outcomes, rows]));
		assert.ok(way, inspect({ before: model.get(petId), edits, outcomes, rows }));
		model = way.after;
		const { status, body } = await read(`/v1/pets/${petId}`);
		const animal = model.get(petId);
		if (!animal) assert.equal(status, 404);
		else assert.equal(body, pageOf(new Map([[petId, animal]]), { after: 0 }, 1, undefined).body.slice(1, -1));
	}

	function reader(limit: number, filter: PetStatus | undefined) {
		let links = new Map([["first", `/v1/pets?limit=${limit}${filter ? `&status=${filter}` : ""}`]]);
		let expected = new Map<string, Position>([["first", { after: 0 }]]);
		return async (rel: string) => {
			const [path, position] = [links.get(rel), expected.get(rel)];
			if (path === undefined || position === undefined) return;
			const { body, headers } = await read(path);
			const page = pageOf(model, position, limit, filter);
			assert.equal(body, page.body, path);
			links = new Map(Object.entries(linksOf({ headers })).map(([rel, url]) => [rel, pathOf(url)]));
			expected = page.links;
			assert.deepEqual([...links.keys()], [...expected.keys()], path);
		};
	}

	return { createAll, editAtOnce, reader };
}

test("any creates, concurrent edits by two editors, and followed links agree with a simple model", async (context) => {
	const { createAll, editAtOnce, reader } = await scene(context);
	const [limits, anySteps] = [fc.integer({ min: 1, max: 7 }), fc.array(step, { maxLength: 12 })];
	await fc.assert(
		fc.asyncProperty(status, limits, anySteps, async (filter, limit, steps) => {
			const follow = reader(limit, filter);
			await follow("first");
			for (const step of steps) {
				if (step.kind === "create") await createAll(step);
				else if (step.kind === "edit") await editAtOnce(step);
				else await follow(step.rel);
			}
		}),
		{ numRuns: process.env["TEST_ENGINE"] === "postgres" ? 20 : 40, endOnFailure: true },
	);
});
