// The second pass of an import: many creates at once. Each row carries an Idempotency-Key derived from the file's content and the
// line, so the same file imported again settles what an interruption left open.

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
	/** Called after each row. */
	onProgress(report: ImportReport): void;
}

export interface ImportReport {
	added: number;
	/** Added by an earlier import of the same file. */
	alreadyThere: number;
	/** Whether each row is settled: added, already there, or rejected. */
	isComplete: boolean;
	/** The first failure that is not about one animal only. */
	stoppedBy?: unknown;
}

/** What became of one row. */
type Outcome =
	| { kind: "added" | "alreadyThere" }
	| { kind: "rejected"; reason: string }
	| { kind: "failed"; error: unknown };

interface FailedRow {
	row: PetRow;
	error: unknown;
}

/** Replies that are about one animal; any other failure would meet the next animal too. */
const refusals: ApiError["code"][] = ["invalid_json", "invalid_body", "body_too_large", "idempotency_key_reused"];

/** Sends until the rows end, something fails, or a signal stops it; what is under way then may finish. */
export async function sendRows(sending: Sending): Promise<ImportReport> {
	const { rows, concurrency, interruption, rejected } = sending;
	const report: ImportReport = { added: 0, alreadyThere: 0, isComplete: false };
	const failed: FailedRow[] = [];
	let isAtEnd = false;

	function note(row: PetRow, outcome: Outcome): void {
		if (outcome.kind === "rejected") rejected.add(row, outcome.reason);
		else if (outcome.kind === "failed") {
			failed.push({ row, error: outcome.error });
			stop(outcome.error);
		} else report[outcome.kind]++;
		sending.onProgress(report);
	}
	function stop(error: unknown): void {
		report.stoppedBy ??= error;
		interruption.stop();
	}
	async function work(): Promise<void> {
		while (!interruption.requested.aborted && report.stoppedBy === undefined) {
			const { value: row } = await rows.next();
			if (row === undefined) {
				isAtEnd = true;
				return;
			}
			note(row, row.pet ? await send(sending, row.number, row.pet) : { kind: "rejected", reason: row.reason });
		}
	}

	await Promise.all(Array.from({ length: concurrency }, () => work().catch(stop)));
	if (isKeyGone(report.stoppedBy)) await keepForAnotherKey(sending, failed);
	await rows.return(undefined);
	return { ...report, isComplete: isAtEnd && report.stoppedBy === undefined };
}

export function isKeyGone(error: unknown): boolean {
	return error instanceof ApiError && error.status === 401;
}

/** Idempotency-Keys are scoped to the API key: with another one, the same file would add again what is in. */
async function keepForAnotherKey({ rows, rejected }: Sending, failed: FailedRow[]): Promise<void> {
	const notAdded = "not added: the key stopped working";
	for (const { row, error } of failed) {
		const isSettled = error instanceof ApiError && !error.isUnsettled;
		rejected.add(row, isSettled ? notAdded : "no reply came: it may be in");
	}
	for await (const row of rows) rejected.add(row, row.pet ? notAdded : row.reason);
}

/** @param number the row's own in the file */
async function send({ store, digest, interruption }: Sending, number: number, pet: NewPet): Promise<Outcome> {
	let kind: "added" | "alreadyThere" = "added";
	try {
		await store.createPet(pet, {
			idempotencyKey: `import-${digest.slice(0, 24)}-${number}`,
			signal: interruption.overdue,
			onReply: ({ headers }) => {
				if (headers.get("idempotency-replayed") === "true") kind = "alreadyThere";
			},
		});
		return { kind };
	} catch (error) {
		const isAboutThisRow = error instanceof ApiError && refusals.includes(error.code);
		return isAboutThisRow ? { kind: "rejected", reason: error.message } : { kind: "failed", error };
	}
}
