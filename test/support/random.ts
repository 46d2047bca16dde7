// Random numbers from a seed, so that a test with random input can be repeated.

/** The seed of all random input of `npm test`: the same in each run, which prints it, unless SEED sets another. */
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

export function pick<Item>(items: readonly Item[], random: () => number): Item {
	return items[Math.floor(random() * items.length)] as Item;
}
