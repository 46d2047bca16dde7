// Requests with a key to the service at a URL.

import assert from "node:assert/strict";

const plain = { name: "a", categoryId: 1 };

export function callerOf(url: string, key: string) {
	const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
	return {
		get: (path = "/v1/pets", more: Record<string, string> = {}) =>
			fetch(new URL(path, url), { headers: { ...headers, ...more } }),
		/** @param idempotencyKey none if absent */
		create: (pet: object = plain, idempotencyKey?: string) =>
			fetch(new URL("/v1/pets", url), {
				method: "POST",
				headers: { ...headers, ...(idempotencyKey && { "idempotency-key": idempotencyKey }) },
				body: JSON.stringify(pet),
			}),
		post: (path: string, body: object) =>
			fetch(new URL(path, url), { method: "POST", headers, body: JSON.stringify(body) }),
	};
}

export type Caller = ReturnType<typeof callerOf>;

/** Asserts that a create on one node is visible on another, and that a third one replays it. @returns its id */
export async function createAndRepeat(here: Caller, there: Caller, elsewhere: Caller, key: string): Promise<number> {
	const created = await here.create(plain, key);
	assert.equal(created.status, 201);
	const { id } = (await created.json()) as { id: number };
	assert.equal((await there.get(`/v1/pets/${id}`)).status, 200, "the create is visible");
	const again = await elsewhere.create(plain, key);
	assert.deepEqual([again.headers.get("idempotency-replayed"), await again.json()], ["true", { id, ...plain }]);
	return id;
}
