// The creates of an import. The Idempotency-Key of each row is made from the file's content and the row's number: the
// same file can be imported again, by the command or by the console, and adds nothing twice. A create without a reply
// can be repeated only with the API key that sent it, because Idempotency-Keys are scoped to the key. With another key,
// its animal is looked up among those that were added since. Equal animals are counted.

import { type NewPet, newPetFields, type Pet } from "../contract/pet.ts";

const blockSize = 1024 * 1024;

/** A digest of the whole file, in hex: SHA-256, block after block. Needs Web Crypto: in browsers https or localhost. */
export async function digestOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
	// The digest so far, then the next block.
	const block = new Uint8Array(32 + blockSize);
	let size = 32;
	const digestBlock = async () => {
		block.set(new Uint8Array(await crypto.subtle.digest("SHA-256", block.subarray(0, size))));
		size = 32;
	};
	for await (const chunk of chunks) {
		for (let start = 0; start < chunk.length; ) {
			const piece = chunk.subarray(start, start + block.length - size);
			block.set(piece, size);
			size += piece.length;
			start += piece.length;
			if (size === block.length) await digestBlock();
		}
	}
	await digestBlock();
	return Array.from(block.subarray(0, 32), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param number of the row in the file */
export function rowKey(digest: string, number: number): string {
	return `import-${digest.slice(0, 24)}-${number}`;
}

/** Failures that concern one row only; any other would hit the next row too. */
export const rowErrors: readonly string[] = ["invalid_json", "invalid_body", "body_too_large"];

export interface UnknownCreate {
	pet: NewPet;
	/** An id that was known before it was sent; its own id is larger. Undefined if none was known: it cannot be found. */
	after: bigint | undefined;
	/** How many equal animals with larger ids belong to other rows. */
	equals: number;
}

/** The part of the client that is used here. */
interface Lister {
	listPets(query: { limit: number }, options: object): { pages(order: { from: "last" }): Pages };
}

type Pages = AsyncIterable<{ pets: Pet[] }>;

/** @returns 0 for an empty store */
export async function newestId(store: Lister, options: object = {}): Promise<bigint> {
	for await (const { pets } of store.listPets({ limit: 1 }, options).pages({ from: "last" }))
		return pets.at(-1)?.id ?? 0n;
	return 0n;
}

/**
 * Looks for the animals of creates that can no longer be stored, newest first. Equal animals are counted, and those of
 * other rows left out.
 * @returns for each create the id of an equal animal; undefined if none is left
 */
export async function lookUp(
	store: Lister,
	creates: readonly UnknownCreate[],
	options: object = {},
): Promise<(bigint | undefined)[]> {
	const least = leastOf(creates);
	if (least === undefined) return creates.map(() => undefined);
	/** For each content: the ids of its animals, newest first, and how many of them were found for a create. */
	const stored = new Map(creates.map(({ pet }) => [contentOf(pet), { ids: [] as bigint[], found: 0 }]));
	for await (const { pets } of store.listPets({ limit: 100 }, options).pages({ from: "last" })) {
		for (const pet of pets.toReversed()) stored.get(contentOf(pet))?.ids.push(pet.id);
		if (pets[0] && pets[0].id <= least) break;
	}
	const ids: (bigint | undefined)[] = creates.map(() => undefined);
	const byAfter = [...creates.entries()].sort(([, one], [, other]) => Number((other.after ?? 0n) - (one.after ?? 0n)));
	for (const [at, { pet, after, equals }] of byAfter) {
		const same = stored.get(contentOf(pet));
		const id = same?.ids[equals + same.found];
		if (!same || after === undefined || id === undefined || id <= after) continue;
		same.found++;
		ids[at] = id;
	}
	return ids;
}

/** Equal for equal animals: no name contains U+0000. */
export function contentOf(pet: NewPet): string {
	return newPetFields.map((field) => pet[field]).join("\0");
}

type Open = Partial<Pick<UnknownCreate, "after">>;

function leastOf(open: readonly Open[]): bigint | undefined {
	let least: bigint | undefined;
	for (const { after } of open) if (after !== undefined && (least === undefined || after < least)) least = after;
	return least;
}

/**
 * The animals that an import has added, back to the oldest create that may get no reply.
 * @param newest the newest id before the first create, if it is known
 */
export function addedPets(newest: bigint | undefined) {
	const contents = new Map<bigint, string>();
	return {
		/** The newest id that is known, if any. */
		newest: () => newest,
		add({ id, ...pet }: Pet): void {
			contents.set(id, contentOf(pet));
			if (newest === undefined || id > newest) newest = id;
		},
		/** Forgets animals that are older than each of the creates under way. */
		forget(open: readonly Open[]): void {
			const least = open.length > 0 ? leastOf(open) : newest;
			for (const id of contents.keys()) {
				if (least === undefined || id > least) return;
				contents.delete(id);
			}
		},
		/** Completes creates that got no reply, so that they can be looked up. */
		toUnknown<Row extends Open & Pick<UnknownCreate, "pet">>(open: readonly Row[]): (Row & UnknownCreate)[] {
			const least = leastOf(open);
			const counts = new Map<string, number>();
			for (const [id, content] of contents)
				if (least !== undefined && id > least) counts.set(content, (counts.get(content) ?? 0) + 1);
			return open.map((row) => ({
				...row,
				after: row.after === undefined ? undefined : least,
				equals: counts.get(contentOf(row.pet)) ?? 0,
			}));
		},
	};
}
