// Paging: every animal exactly once, also during creates, and cursors that cannot be forged.

import assert from "node:assert/strict";
import { test } from "node:test";
import { petStatuses } from "../src/contract/pet.ts";
import { assertFailure, create, type TestService, testService } from "./service.ts";

const links = (field = "") =>
	Object.fromEntries([...field.matchAll(/<([^>]+)>; rel="(\w+)"/g)].map(([, url, rel]) => [rel, url]));
const pathOf = (url: string) => url.replace(/^https?:\/\/[^/]+/, "");

interface Walk {
	ids: number[];
	/** The query of the last page. */
	last: string;
}

/** Follows `next` to the end. */
async function walk(service: TestService, start: string): Promise<Walk> {
	const ids: number[] = [];
	let path = start;
	for (let pages = 1; ; pages++) {
		assert.ok(pages < 2000, "a walk comes to its end");
		const { status, headers, body } = await service.send({ path });
		assert.equal(status, 200);
		const page: { id: number }[] = JSON.parse(body);
		ids.push(...page.map(({ id }) => id));
		const { next } = links(headers["link"]);
		if (next === undefined) return { ids, last: path };
		assert.ok(page.length > 0, "a next link never comes from an empty page");
		path = pathOf(next);
	}
}

async function fill({ store }: TestService, count: number): Promise<void> {
	await Promise.all(
		Array.from({ length: count }, (_, index) => {
			const status = petStatuses[index % 4];
			return store.createPet({ name: `n${index}`, categoryId: 1n, ...(status && { status }) });
		}),
	);
}

test("reading all pages returns every animal once, for every limit and filter", async (context) => {
	const service = await testService(context);
	await fill(service, 203);
	const all = Array.from({ length: 203 }, (_, index) => index + 1);
	for (const limit of [1, 7, 20, 29, 99, 100]) {
		assert.deepEqual((await walk(service, `/v1/pets?limit=${limit}`)).ids, all);
		for (const [index, status] of petStatuses.entries()) {
			const { ids } = await walk(service, `/v1/pets?status=${status}&limit=${limit}`);
			assert.deepEqual(
				ids,
				all.filter((id) => (id - 1) % 4 === index),
			);
		}
	}
});

test("a full page has a next link only if more animals follow", async (context) => {
	const service = await testService(context);
	await fill(service, 40);
	const { ids, last } = await walk(service, "/v1/pets");
	assert.equal(ids.length, 40);
	assert.equal(links((await service.send({ path: last })).headers["link"])["next"], undefined);
	await service.send(create({ name: "later", categoryId: 1 }));
	assert.deepEqual((await walk(service, last)).ids, [...Array.from({ length: 20 }, (_, index) => index + 21), 41]);
});

test("reading all pages during creates neither skips nor repeats, and reading the last page again shows the rest", async (context) => {
	const service = await testService(context);
	let created = 0;
	const creators = Array.from({ length: 8 }, async () => {
		while (created < 1500) {
			created++;
			await service.store.createPet({ name: "n", categoryId: 1n });
		}
	});
	let seen = 0;
	const poll = async (path: string) => {
		const { ids, last } = await walk(service, path);
		const news = ids.filter((id) => id > seen);
		assert.deepEqual(
			news,
			Array.from(news, (_, index) => seen + index + 1),
			"nothing missed, nothing twice",
		);
		seen += news.length;
		return last;
	};
	let last = await poll("/v1/pets?limit=7");
	let isCreating = true;
	const done = Promise.all(creators).finally(() => {
		isCreating = false;
	});
	while (isCreating) last = await poll(last);
	await done;
	await poll(last);
	assert.equal(seen, created);
});

test("links are absolute, repeat filter and limit, and use BASE_URL if it is set", async (context) => {
	const service = await testService(context);
	await fill(service, 9);
	const { first, next } = links(
		(await service.send({ path: "/v1/pets?limit=2&status=sold", headers: { Host: "pets.test:81" } })).headers["link"],
	);
	assert.equal(first, "http://pets.test:81/v1/pets?limit=2&status=sold");
	assert.equal(next, undefined);
	const plain = links((await service.send({ path: "/v1/pets?limit=2" })).headers["link"]);
	assert.match(plain["next"] ?? "", new RegExp(`^${service.url}/v1/pets\\?limit=2&cursor=[\\w-]+$`));
	for (const base of ["https://pets.example/v1", "https://pets.example/v1/", "https://pets.example"]) {
		const { send, store } = await testService(context, { environment: { BASE_URL: base } });
		await store.createPet({ name: "a", categoryId: 1n });
		assert.equal(
			links((await send({ path: "/v1/pets" })).headers["link"])["first"],
			"https://pets.example/v1/pets?limit=20",
		);
		assert.equal(
			(await send(create({ name: "b", categoryId: 1 }))).headers["location"],
			"https://pets.example/v1/pets/2",
		);
	}
});

test("a cursor is bound to its filter and to its store, and cannot be tampered with; its limit may change", async (context) => {
	const service = await testService(context);
	await fill(service, 50);
	const cursorOf = async (path: string) => {
		const { next = "" } = links((await service.send({ path })).headers["link"]);
		return new URL(next).searchParams.get("cursor") ?? "";
	};
	const cursor = await cursorOf("/v1/pets?limit=5");
	const ofSold = await cursorOf("/v1/pets?limit=5&status=sold");
	const firstId = async (query: string) => JSON.parse((await service.send({ path: `/v1/pets?${query}` })).body)[0].id;
	assert.equal(await firstId(`limit=3&cursor=${cursor}`), 6);
	const foreign = await testService(context);
	await fill(foreign, 50);
	const { next: elsewhere = "" } = links((await foreign.send({ path: "/v1/pets?limit=5" })).headers["link"]);
	const refused = [
		`status=sold&cursor=${cursor}`,
		`cursor=${ofSold}`,
		`status=pending&cursor=${ofSold}`,
		`cursor=${new URL(elsewhere).searchParams.get("cursor")}`,
		...Array.from(
			cursor,
			(character, index) =>
				`cursor=${cursor.slice(0, index)}${character === "a" ? "b" : "a"}${cursor.slice(index + 1)}`,
		),
		`cursor=${cursor}0`,
		`cursor=0${cursor}`,
		`cursor=${cursor.slice(0, -1)}`,
		`cursor=${cursor}=`,
		`cursor=${cursor.slice(0, 22)}0${cursor.slice(22)}`,
	];
	for (const query of refused) assertFailure(await service.send({ path: `/v1/pets?${query}` }), "invalid_cursor");
});
