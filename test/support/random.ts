// Random numbers that a seed repeats, for tests that try what nobody thought of and must be able to try it again.

/** Of everything that `npm test` tries by chance: the same in each run, which prints it, unless SEED names another. */
export const seed = Number(process.env["SEED"] ?? 995699133);

/** Numbers from 0 to 1, without 1 (mulberry32). */
export function seededRandom(seed: number): () => number {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

/** A choice from what there is, by a random number from 0 to 1. */
export function pick<Item>(items: readonly Item[], random: () => number): Item {
	return items[Math.floor(random() * items.length)] as Item;
}
