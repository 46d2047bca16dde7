// What clients know about animals that are edited while others read them. A reply has to show a state that the animal
// had at some moment between the request and the reply.

import assert from "node:assert/strict";
import type { NewPet, Pet } from "../../src/contract/pet.ts";

/** Undefined: the animal is removed. */
export type State = NewPet | undefined;

interface Version {
	state: State;
	/** When the request was sent. */
	fromMs: number;
	/** When its success was known; infinite while its outcome is unknown. */
	knownMs: number;
}

export class Past {
	readonly #versions = new Map<bigint, Version[]>();
	readonly ids: bigint[] = [];

	/** @returns marks the change as known to have happened */
	change(id: bigint, state: State, fromMs = performance.now()): () => void {
		const version: Version = { state, fromMs, knownMs: Number.POSITIVE_INFINITY };
		const versions = this.#versions.get(id);
		if (versions) versions.push(version);
		else {
			this.ids.push(id);
			this.#versions.set(id, [version]);
		}
		return () => {
			version.knownMs = performance.now();
		};
	}

	/** Asserts that the animal was like this, or absent, at some moment between the two times. */
	check(id: bigint, shown: Pet | undefined, sentMs: number, repliedMs = performance.now()): void {
		const versions = this.#versions.get(id);
		// An animal whose create has no reply yet is known to nobody.
		if (!versions) return;
		const first = versions.findLastIndex(({ knownMs }) => knownMs <= sentMs);
		const possible = versions.slice(Math.max(first, 0)).filter(({ fromMs }) => fromMs <= repliedMs);
		const expected = possible.map(({ state }) => describe(state));
		assert.ok(expected.includes(describe(shown)), `${id} was ${expected.join(" or ")}, and is ${describe(shown)}`);
		const now = possible.find(({ state }) => describe(state) === describe(shown));
		// An edit without a reply has happened if its result is seen.
		if (now && now.knownMs === Number.POSITIVE_INFINITY) now.knownMs = repliedMs;
	}

	/** Whether it is removed, as far as anybody knows. */
	isRemoved(id: bigint): boolean {
		return this.#versions.get(id)?.at(-1)?.state === undefined;
	}
}

function describe(state: State): string {
	return state ? `${state.name}, ${state.categoryId}, ${state.status ?? "no status"}` : "absent";
}
