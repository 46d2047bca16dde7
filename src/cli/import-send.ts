// The second pass of an import: many creates at once, in the order of the file. Each row has an Idempotency-Key derived
// from the file's content and the row, so that a create can be repeated, and the same file be imported again.

import { type AnimalStore, ApiError } from "../../client/src/index.ts";
import type { NewPet } from "../contract/pet.ts";
import { describeFaults } from "../files/faults.ts";
import { rowKey } from "../files/row-keys.ts";
import type { FileRow } from "../files/rows.ts";
import type { Attempt, Created, CreatePipeline } from "./create-pipeline.ts";
import type { Interruption } from "./interrupt.ts";

export interface Sending {
	/** For rows that the pipeline did not add: it waits, tries again, and knows the errors. */
	store: AnimalStore<"bigint">;
	pipeline: CreatePipeline;
	rows: AsyncGenerator<FileRow[]>;
	/** Of the file, in hex. */
	digest: string;
	/** The number of requests at once. */
	concurrency: number;
	reject(row: FileRow, reason: string): void;
	interruption: Interruption;
	/** Called after each row. */
	onProgress(report: ImportReport): void;
}

export interface ImportReport {
	added: number;
	/** Added by an earlier import of the same file. */
	alreadyThere: number;
	/** Added by an earlier import of the same file with other values, such as another `--map`; they stay as they are. */
	differing: number;
	/** Animals with an id below that of an earlier row: the service did not take all requests on the way. */
	outOfOrder: number;
	/** Whether every row was added, already there, or rejected. */
	isComplete: boolean;
	/** The first failure that concerns more than one animal. */
	stoppedBy?: unknown;
}

/** A row that was sent. */
interface Sent {
	row: FileRow;
	pet: NewPet;
	key: string;
	attempt: Promise<Attempt>;
}

/** Failures that concern one animal only; any other would hit the next animal too. */
const rowErrors: ApiError["code"][] = ["invalid_json", "invalid_body", "body_too_large"];

/** Sends until the rows end, a request fails for good, or a signal arrives. Requests under way may then finish. */
export async function sendRows(sending: Sending): Promise<ImportReport> {
	const { rows, interruption, pipeline } = sending;
	const { report, isStopped, send, finish, failed } = createSender(sending);
	const drop = () => void pipeline.reset();
	interruption.overdue.addEventListener("abort", drop, { once: true });
	/** Rows that were read and not sent. */
	const unsent: FileRow[] = [];
	let isAtEnd = false;
	try {
		while (!isStopped() && !isAtEnd) {
			const { value: batch } = await rows.next();
			isAtEnd = batch === undefined;
			for (const row of batch ?? []) {
				if (isStopped() || !(await send(row))) unsent.push(row);
			}
		}
		await finish();
	} finally {
		interruption.overdue.removeEventListener("abort", drop);
	}
	if (isKeyRefused(report.stoppedBy)) await rejectRest(sending, failed, unsent);
	await rows.return(undefined);
	report.isComplete = isAtEnd && unsent.length === 0 && report.stoppedBy === undefined;
	return report;
}

/** Keeps the rows under way in the order of the file, and counts what became of them. */
function createSender({ store, pipeline, digest, concurrency, reject, interruption, onProgress }: Sending) {
	const report: ImportReport = { added: 0, alreadyThere: 0, differing: 0, outOfOrder: 0, isComplete: false };
	const underWay: Sent[] = [];
	const failed: { row: FileRow; isUnsettled: boolean }[] = [];
	let highestId = 0n;
	const isStopped = () => interruption.requested.aborted || report.stoppedBy !== undefined;

	function count({ id, isReplayed }: Created): void {
		if (isReplayed) {
			report.alreadyThere++;
		} else {
			report.added++;
			if (BigInt(id) < highestId) report.outOfOrder++;
			else highestId = BigInt(id);
		}
		onProgress(report);
	}

	/** @returns whether the row was sent or rejected: not when the import stopped meanwhile */
	async function send(row: FileRow): Promise<boolean> {
		if (row.faults) {
			reject(row, describeFaults(row.faults));
			return true;
		}
		if (underWay.length >= concurrency) await settleFirst();
		if (isStopped()) return false;
		const key = rowKey(digest, row.number);
		underWay.push({ row, pet: row.pet, key, attempt: pipeline.send(row.pet, key) });
		return true;
	}

	async function settleFirst(): Promise<void> {
		const attempt = await underWay[0]?.attempt;
		if (attempt?.created) {
			underWay.shift();
			return count(attempt.created);
		}
		// The others of this connection would wait in vain.
		if (attempt && attempt.status === undefined) await pipeline.reset();
		for (const sent of underWay.splice(0)) await settle(sent);
	}

	/** What was not added is repeated before anything else is sent, to keep the order as far as possible. */
	async function settle({ row, pet, key, attempt }: Sent): Promise<void> {
		const { created, status = 500 } = { status: undefined, ...(await attempt) };
		if (created) return count(created);
		if (report.stoppedBy !== undefined) return void failed.push({ row, isUnsettled: status < 400 || status >= 500 });
		try {
			const call = store.createPet(pet, { idempotencyKey: key, signal: interruption.overdue });
			const { data, response } = await call.withResponse();
			count({ id: data.id, isReplayed: response.headers.get("idempotency-replayed") === "true" });
		} catch (error) {
			if (error instanceof ApiError && rowErrors.includes(error.code)) return reject(row, error.message);
			if (error instanceof ApiError && error.code === "idempotency_key_reused") {
				report.differing++;
				return onProgress(report);
			}
			failed.push({ row, isUnsettled: !(error instanceof ApiError) || error.isUnsettled });
			report.stoppedBy = error;
			interruption.stop();
		}
	}

	async function finish(): Promise<void> {
		while (underWay.length > 0) await settleFirst();
	}

	return { report, failed, isStopped, send, finish };
}

export function isKeyRefused(error: unknown): boolean {
	return error instanceof ApiError && error.status === 401;
}

/** For an import with another API key. Idempotency-Keys are scoped to the key: the whole file would add rows twice. */
async function rejectRest(
	{ rows, reject }: Sending,
	failed: { row: FileRow; isUnsettled: boolean }[],
	unsent: FileRow[],
): Promise<void> {
	const notAdded = "not added: the key stopped working";
	for (const { row, isUnsettled } of failed) reject(row, isUnsettled ? "no reply: it may have been added" : notAdded);
	const rejectAll = (rest: FileRow[]) => {
		for (const row of rest) reject(row, row.faults ? describeFaults(row.faults) : notAdded);
	};
	rejectAll(unsent);
	for await (const batch of rows) rejectAll(batch);
}
