// The second pass of an import: many creates at once. Each row has an Idempotency-Key derived from the file's content
// and the line, so that importing the same file again resumes it and adds nothing twice.

import type { AnimalStore, NewPet } from "../../client/src/index.ts";
import { ApiError } from "../../client/src/index.ts";
import type { FileRow } from "./files/file-rows.ts";
import type { Rejected } from "./files/rejected.ts";
import type { Interruption } from "./interrupt.ts";

export interface Sending {
	store: AnimalStore<"bigint">;
	rows: AsyncGenerator<FileRow>;
	/** SHA-256 of the file, in hex. */
	digest: string;
	/** The number of requests at once. */
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
	/** Whether every row was added, already there, or rejected. */
	isComplete: boolean;
	/** The first failure that concerns more than one animal. */
	stoppedBy?: unknown;
}

/** The outcome of one row. */
type Outcome =
	| { kind: "added" | "alreadyThere" }
	| { kind: "rejected"; reason: string }
	| { kind: "failed"; error: unknown };

interface FailedRow {
	row: FileRow;
	error: unknown;
}

/** Failures that concern one animal only; any other would hit the next animal too. */
const rowErrors: ApiError["code"][] = ["invalid_json", "invalid_body", "body_too_large", "idempotency_key_reused"];

/** Sends until the rows end, a request fails, or a signal arrives. Requests under way may then finish. */
export async function sendRows(sending: Sending): Promise<ImportReport> {
	const { rows, concurrency, interruption, rejected } = sending;
	const report: ImportReport = { added: 0, alreadyThere: 0, isComplete: false };
	const failed: FailedRow[] = [];
	let isAtEnd = false;

	function record(row: FileRow, outcome: Outcome): void {
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
			record(row, row.pet ? await send(sending, row.number, row.pet) : { kind: "rejected", reason: row.reason });
		}
	}

	await Promise.all(Array.from({ length: concurrency }, () => work().catch(stop)));
	if (isKeyRefused(report.stoppedBy)) await rejectRest(sending, failed);
	await rows.return(undefined);
	return { ...report, isComplete: isAtEnd && report.stoppedBy === undefined };
}

export function isKeyRefused(error: unknown): boolean {
	return error instanceof ApiError && error.status === 401;
}

/** For an import with another API key. Idempotency-Keys are scoped to the key: the whole file would add rows twice. */
async function rejectRest({ rows, rejected }: Sending, failed: FailedRow[]): Promise<void> {
	const notAdded = "not added: the key stopped working";
	for (const { row, error } of failed) {
		const isSettled = error instanceof ApiError && !error.isUnsettled;
		rejected.add(row, isSettled ? notAdded : "no reply: it may have been added");
	}
	for await (const row of rows) rejected.add(row, row.pet ? notAdded : row.reason);
}

/** @param number the row's number in the file */
async function send({ store, digest, interruption }: Sending, number: number, pet: NewPet): Promise<Outcome> {
	const idempotencyKey = `import-${digest.slice(0, 24)}-${number}`;
	try {
		const call = store.createPet(pet, { idempotencyKey, signal: interruption.overdue });
		const { response } = await call.withResponse();
		return { kind: response.headers.get("idempotency-replayed") === "true" ? "alreadyThere" : "added" };
	} catch (error) {
		const isRowError = error instanceof ApiError && rowErrors.includes(error.code);
		return isRowError ? { kind: "rejected", reason: error.message } : { kind: "failed", error };
	}
}
