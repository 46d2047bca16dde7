// Creates that got no reply. Only the API key that sent one can repeat it, while its Idempotency-Key lasts. Otherwise
// its animal is looked up, once the lost request can no longer be stored.

import type { AnimalStore } from "../../client/src/index.ts";
import type { KeyInfo } from "../../src/contract/console.ts";
import { idempotencyHours } from "../../src/contract/operations.ts";
import { lookUp, newestId, type UnknownCreate } from "../../src/files/creates.ts";
import { TooEarly } from "./pause.ts";

/** The part of a session that imports need. */
export interface Sender {
	info: Pick<KeyInfo, "id" | "scopes" | "createSettlesMs">;
	patientStore: AnimalStore<"bigint">;
}

/** A create that got no reply. Times are in milliseconds since 1970. */
export interface Lost {
	/** The id of the API key that sent it. */
	keyId: string;
	sentAtMs: number;
	/** When its last attempt failed. */
	failedAtMs: number;
}

/** Idempotency-Keys last an hour longer, which is more than a repeat takes. */
const repeatedForMs = (idempotencyHours - 1) * 3_600_000;

export function mayRepeat({ info }: Pick<Sender, "info">, { keyId, sentAtMs }: Lost): boolean {
	return keyId === info.id && Date.now() - sentAtMs < repeatedForMs;
}

/**
 * @returns for each create the id of an equal animal; undefined if none was found
 * @throws TooEarly, AnimalStoreError, the signal's reason
 */
export async function lookUpLost(
	{ info, patientStore }: Sender,
	creates: readonly (UnknownCreate & { lost: Lost })[],
	signal?: AbortSignal,
): Promise<(bigint | undefined)[]> {
	const settledAtMs = Math.max(...creates.map(({ lost }) => lost.failedAtMs)) + info.createSettlesMs;
	const seconds = Math.ceil((settledAtMs - Date.now()) / 1000);
	if (seconds > 0) throw new TooEarly(`The other key got no reply. In ${seconds} s it is certain what was added.`);
	return lookUp(patientStore, creates, { signal });
}

/** The newest id; undefined if the key may not list animals. @throws AnimalStoreError, the signal's reason */
export async function newestIdFor(
	{ info }: Pick<Sender, "info">,
	store: AnimalStore<"bigint">,
	signal?: AbortSignal,
): Promise<bigint | undefined> {
	return info.scopes.includes("pets:read") ? newestId(store, { signal }) : undefined;
}
