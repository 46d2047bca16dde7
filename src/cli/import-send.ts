// The second pass of an import: many creates at once, each with a key of its own that the same file always gives again. So what
// an interruption left open is settled by importing the file once more.

import type { AnimalStore, NewPet } from "../../client/src/index.ts";
import { ApiError } from "../../client/src/index.ts";
import type { PetRow } from "./files/pet-rows.ts";
import type { Rejected } from "./files/rejected.ts";
import type { Interruption } from "./interrupt.ts";

export interface Sending {
	store: AnimalStore;
	rows: AsyncGenerator<PetRow>;
	/** SHA-256 of the file, in hex. */
	digest: string;
	/** Requests at once. */
	concurrency: number;
	rejected: Rejected;
	interruption: Interruption;
	/** Sees how far it is after each animal. */
	onProgress(sent: Sent): void;
}

export interface Sent {
	added: number;
	/** Added by an earlier import of the same file. */
	there: number;
	/** Whether each row is settled: added, there, or rejected. */
	isComplete: boolean;
	/** The first failure that is not about one animal only. */
	stoppedBy?: unknown;
}

/** Replies that are about one animal; any other failure would meet the next animal too. */
const refusals: ApiError["code"][] = ["invalid_json", "invalid_body", "body_too_large", "idempotency_key_reused"];

/** Sends until the rows end, something fails, or a signal stops it; what is under way then may finish. */
export async function sendRows(sending: Sending): Promise<Sent> {
	const { rows, concurrency, interruption, rejected } = sending;
	const sent: Sent = { added: 0, there: 0, isComplete: false };
	const failed: Failed[] = [];
	let isAtEnd = false;
	async function work(): Promise<void> {
		while (!interruption.requested.aborted && !sent.stoppedBy) {
			const { value: row } = await rows.next();
			isAtEnd ||= row === undefined;
			if (!row) return;
			if (row.pet) await send(sending, row, row.pet, sent).catch((error) => fail({ row, error }));
			else rejected.add(row, row.reason);
			sending.onProgress(sent);
		}
	}
	function fail(failure: Failed): never {
		failed.push(failure);
		throw failure.error;
	}
	const stop = (error: unknown) => {
		sent.stoppedBy ??= error;
		interruption.stop();
	};
	await Promise.all(Array.from({ length: concurrency }, () => work().catch(stop)));
	if (isKeyGone(sent.stoppedBy)) await keepForAnotherKey(sending, failed);
	await rows.return(undefined);
	return { ...sent, isComplete: isAtEnd && !sent.stoppedBy };
}

interface Failed {
	row: PetRow;
	error: unknown;
}

export function isKeyGone(error: unknown): boolean {
	return error instanceof ApiError && error.status === 401;
}

/** Idempotency-Keys are apart for each API key: with another one, the same file would add again what is in. */
async function keepForAnotherKey({ rows, rejected }: Sending, failed: Failed[]): Promise<void> {
	const notAdded = "not added: the key stopped working";
	for (const { row, error } of failed) {
		const isSettled = error instanceof ApiError && !error.isUnsettled;
		rejected.add(row, isSettled ? notAdded : "no reply came: it may be in");
	}
	for await (const row of rows) rejected.add(row, row.pet ? notAdded : row.reason);
}

async function send(sending: Sending, row: PetRow, pet: NewPet, sent: Sent): Promise<void> {
	const { store, digest, interruption, rejected } = sending;
	let isReplay = false;
	try {
		await store.createPet(pet, {
			idempotencyKey: `import-${digest.slice(0, 24)}-${row.number}`,
			signal: interruption.overdue,
			onReply: ({ headers }) => {
				isReplay = headers.get("idempotency-replayed") === "true";
			},
		});
	} catch (error) {
		if (!(error instanceof ApiError) || !refusals.includes(error.code)) throw error;
		return rejected.add(row, error.message);
	}
	if (isReplay) sent.there++;
	else sent.added++;
}
