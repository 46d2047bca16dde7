// The second pass of an import: many creates at once, in the order of the file. Each row has an Idempotency-Key derived
// from the file's content and the row, so that a create can be repeated and the same file imported again.

import { type AnimalStore, ApiError } from "../../client/src/index.ts";
import { idempotencyHours } from "../contract/operations.ts";
import type { NewPet } from "../contract/pet.ts";
import { describeFaults } from "../contract/validate.ts";
import { addedPets, rowErrors, rowKey, type UnknownCreate } from "../files/creates.ts";
import { describeUnknown } from "../files/rejected-rows.ts";
import type { FileRow } from "../files/rows.ts";
import { CommandError } from "./command-error.ts";
import type { Attempt, Created, CreatePipeline } from "./create-pipeline.ts";
import type { Interruption } from "./interrupt.ts";

export interface Sending {
	/** Repeats the rows that the pipeline did not add: it waits for the service, retries, and throws the errors. */
	store: AnimalStore<"bigint">;
	pipeline: CreatePipeline;
	rows: AsyncGenerator<FileRow[]>;
	/** The digest of the file, in hex. */
	digest: string;
	/** The newest id before the import, if it is known. */
	newest: bigint | undefined;
	/** The number of requests at once. */
	concurrency: number;
	reject(row: FileRow, reason: string): void;
	/** Called with each animal that is in the store. */
	onAdded(pet: NewPet): void;
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
	/** Animals with an id below that of an earlier row: a request before them had to be repeated. */
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
	/** When it was first sent, in milliseconds since 1970. */
	sentAtMs: number;
	/** The newest id that was known before. */
	after: bigint | undefined;
}

interface Failed extends Sent {
	/** Whether it may have been added: an attempt got no reply that settles it. */
	isUnknown: boolean;
}

/** Idempotency-Keys last longer than this by the time that a repeat may take. */
export const repeatedForMs = (idempotencyHours / 2) * 3_600_000;

/** Sends until the rows end, a request fails for good, or a signal arrives. Requests under way may then finish. */
export async function sendRows(sending: Sending): Promise<ImportReport> {
	const { rows } = sending;
	const { report, isStopped, send, finish, failed, pets } = createSender(sending);
	/** Rows that were read and not sent. */
	const unsent: FileRow[] = [];
	let isAtEnd = false;
	while (!isStopped() && !isAtEnd) {
		const { value: batch } = await rows.next();
		isAtEnd = batch === undefined;
		for (const row of batch ?? []) {
			if (isStopped() || !(await send(row))) unsent.push(row);
		}
	}
	await finish();
	if (isOver(report.stoppedBy)) await rejectRest(sending, pets.toUnknown(failed), unsent);
	await rows.return(undefined);
	report.isComplete = isAtEnd && unsent.length === 0 && report.stoppedBy === undefined;
	return report;
}

/** Keeps the rows under way in the order of the file, and counts their outcomes. */
function createSender(sending: Sending) {
	const { pipeline, digest, newest, concurrency, reject, onAdded, interruption, onProgress } = sending;
	const report: ImportReport = { added: 0, alreadyThere: 0, differing: 0, outOfOrder: 0, isComplete: false };
	const underWay: Sent[] = [];
	const failed: Failed[] = [];
	const pets = addedPets(newest);
	const isStopped = () => interruption.requested.aborted || report.stoppedBy !== undefined;

	function count({ id, isReplayed }: Created, pet: NewPet): void {
		if (isReplayed) report.alreadyThere++;
		else report.added++;
		if (!isReplayed && BigInt(id) < (pets.newest() ?? 0n)) report.outOfOrder++;
		pets.add({ ...pet, id: BigInt(id) });
		onAdded(pet);
		onProgress(report);
	}

	/** @returns whether the row was sent or rejected; false if the import stopped first */
	async function send(row: FileRow): Promise<boolean> {
		if (row.faults) {
			reject(row, describeFaults(row.faults));
			return true;
		}
		if (underWay.length >= concurrency) await settleFirst();
		if (isStopped()) return false;
		const [pet, key] = [row.pet, rowKey(digest, row.number)];
		underWay.push({ row, pet, key, sentAtMs: Date.now(), after: pets.newest(), attempt: pipeline.send(pet, key) });
		return true;
	}

	async function settleFirst(): Promise<void> {
		const [first] = underWay;
		if (!first) return;
		const attempt = await first.attempt;
		if (attempt.created) {
			underWay.shift();
			count(attempt.created, first.pet);
			return pets.forget(underWay.slice(0, 1));
		}
		// The later requests of this connection get no reply either.
		if (attempt.status === undefined) await pipeline.reset();
		for (const sent of underWay.splice(0)) await settle(sent);
	}

	/** Repeats a row that was not added before any new row is sent, to keep the order as far as possible. */
	async function settle(sent: Sent): Promise<void> {
		const attempt = await sent.attempt;
		if (attempt.created) return count(attempt.created, sent.pet);
		const isUnknown = attempt.status === undefined || attempt.status < 400 || attempt.status >= 500;
		if (report.stoppedBy !== undefined) return void failed.push({ ...sent, isUnknown });
		try {
			count(await repeat(sending, sent), sent.pet);
		} catch (error) {
			if (error instanceof ApiError && rowErrors.includes(error.code)) return reject(sent.row, error.message);
			if (error instanceof ApiError && error.code === "idempotency_key_reused") {
				report.differing++;
				return onProgress(report);
			}
			failed.push({ ...sent, isUnknown: isUnknown || !(error instanceof ApiError) || error.isUnsettled });
			report.stoppedBy = error;
			interruption.stop();
		}
	}

	async function finish(): Promise<void> {
		while (underWay.length > 0) await settleFirst();
	}

	return { report, failed, pets, isStopped, send, finish };
}

/** Waits for a service that is away. @throws CommandError, AnimalStoreError, the signal's reason */
async function repeat({ store, interruption }: Sending, { pet, key, sentAtMs }: Sent): Promise<Created> {
	if (Date.now() - sentAtMs > repeatedForMs)
		throw new KeysExpired("the import was stopped for too long to repeat a row");
	const call = store.createPet(pet, { idempotencyKey: key, signal: interruption.overdue });
	const { data, response } = await call.withResponse();
	return { id: data.id, isReplayed: response.headers.get("idempotency-replayed") === "true" };
}

class KeysExpired extends CommandError {}

/** Whether this error means that the Idempotency-Keys of the import no longer work. */
export function isOver(error: unknown): boolean {
	return error instanceof KeysExpired || (error instanceof ApiError && error.status === 401);
}

/**
 * Rejects all other rows for another import. Idempotency-Keys are scoped to the API key: importing the whole file again
 * would add rows twice.
 */
async function rejectRest(
	{ rows, reject }: Sending,
	failed: (Failed & UnknownCreate)[],
	unsent: FileRow[],
): Promise<void> {
	const notAdded = "not added: the import ended";
	for (const one of failed) reject(one.row, one.isUnknown ? describeUnknown(one) : notAdded);
	const rejectAll = (rest: FileRow[]) => {
		for (const row of rest) reject(row, row.faults ? describeFaults(row.faults) : notAdded);
	};
	rejectAll(unsent);
	for await (const batch of rows) rejectAll(batch);
}
