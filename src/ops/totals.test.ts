// Counts of animals while the store is slow.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as tick } from "node:timers/promises";
import type { PetCount, Store } from "../store/store.ts";
import { watchTotals } from "./activity.ts";

test("requests that arrive during a count share the next count, so that an unreachable store delays each by at most two counts", async () => {
	const counts: PromiseWithResolvers<PetCount>[] = [];
	const countPets = () => {
		const count = Promise.withResolvers<PetCount>();
		counts.push(count);
		return count.promise;
	};
	const { animals } = watchTotals({ countPets } as unknown as Store);
	const requests = [animals()];
	await tick();
	requests.push(animals(), animals(), animals());
	const outcomes = Promise.allSettled(requests);
	for (const count of [1, 2]) {
		await tick();
		assert.equal(counts.length, count);
		counts[count - 1]?.reject(new Error("away"));
	}
	for (const { status } of await outcomes) assert.equal(status, "rejected");
	assert.equal(counts.length, 2);
});
