// The importer of the command and the console. Rows go to the service in batches, one after the other, so that their
// animals have the order of the file; the next batch is read while one is under way. The key of a row is made from the
// file's content and the row's number: importing the file again within 24 hours, by anyone, adds nothing twice.

import { type ImportResult, importRowsMax } from "../contract/console.ts";
import { bodyMaxBytes } from "../contract/limits.ts";
import { petJson } from "../contract/pet.ts";
import type { Fault } from "../contract/validate.ts";
import { type Attempts, type ImportTarget, sendBatch } from "./import-request.ts";
import type { FileRow } from "./rows.ts";

/** The outcome of a row: its animal is in the store, or the row was left out because of these faults. */
type RowOutcome =
	| { outcome: "added" | "present"; id: number | bigint; atMs?: number; faults?: undefined }
	| { outcome: "rejected"; faults: Fault[]; atMs?: undefined };

export type SettledRow = { row: FileRow } & RowOutcome;

export interface ImporterOptions {
	rows: AsyncIterable<FileRow[]>;
	/** The digest of the file (digestOf). */
	digest: string;
	/** By default 1; a larger number adds the rows once more. */
	round?: number;
	/** Rows for which this returns false are left out silently. */
	isWanted?: (row: FileRow) => boolean;
	/** Called after each batch, with its rows in the order of the file. */
	onSettled: (rows: SettledRow[]) => void;
}

interface Batch extends Attempts {
	/** Also rows with faults, so that outcomes are in the order of the file. */
	rows: KeyedRow[];
}

/** `text`, the JSON that is sent, is present only if the row can be sent. */
type KeyedRow = { row: FileRow; text?: string };

/** The size of a request's body without its rows, rounded up. */
const frameBytes = 64;

export type Importer = ReturnType<typeof createImporter>;

export function createImporter(options: ImporterOptions) {
	const batches = batchesOf(options);
	/**
	 * The batch under way (after a failure, the batch that failed), and the next batch. A batch that could not be read
	 * fails again.
	 */
	const ahead: Promise<Batch | undefined>[] = [];

	/** Reads in the next tick, after the request under way was sent: reading a batch takes some milliseconds. */
	async function read(): Promise<Batch | undefined> {
		await new Promise((resolve) => setTimeout(resolve));
		return (await batches.next()).value;
	}

	function batchAt(place: 0 | 1): Promise<Batch | undefined> {
		ahead[place] ??= read();
		return ahead[place];
	}

	async function send(batch: Batch, target: ImportTarget): Promise<void> {
		const sent = batch.rows.flatMap(({ text }) => text ?? []);
		const results = (sent.length > 0 ? await sendBatch(sent, target, batch) : []).values();
		const outcome = ({ row: { faults = [] }, text }: KeyedRow): RowOutcome =>
			text === undefined ? { outcome: "rejected", faults } : outcomeOf(results.next().value as ImportResult, batch);
		options.onSettled(batch.rows.map((keyed) => ({ row: keyed.row, ...outcome(keyed) })));
	}

	return {
		/**
		 * Sends rows until the end of the file, or until `target.signal`. May be called again to continue.
		 * @returns whether it reached the end
		 * @throws ImportFailure, and errors of reading the file; the next call sends the batch under way again
		 */
		async run(target: ImportTarget): Promise<boolean> {
			for (;;) {
				const batch = await batchAt(0);
				if (!batch) return true;
				if (target.signal.aborted) return false;
				void batchAt(1).catch(() => {}); // Thrown when the batch's turn comes.
				await send(batch, target);
				void ahead.shift();
			}
		},
	};
}

async function* batchesOf(options: ImporterOptions): AsyncGenerator<Batch, undefined> {
	const { rows, isWanted = () => true } = options;
	let batch: Batch = { rows: [], sinceMs: 0, mayBeStored: false };
	let bytes = frameBytes;
	for await (const piece of rows)
		for (const row of piece.filter(isWanted)) {
			const keyed = keyedRow(row, options);
			const size = keyed.text === undefined ? 0 : bytesOf(keyed.text) + 1;
			if (bytes + size > bodyMaxBytes || batch.rows.length === importRowsMax) {
				yield batch;
				batch = { rows: [], sinceMs: 0, mayBeStored: false };
				bytes = frameBytes;
			}
			batch.rows.push(keyed);
			bytes += size;
		}
	if (batch.rows.length > 0) yield batch;
}

const encoder = new TextEncoder();

/** The size in UTF-8. Encoding every row would be slow in browsers. */
function bytesOf(text: string): number {
	return /^[ -~]*$/.test(text) ? text.length : encoder.encode(text).length;
}

function keyedRow(row: FileRow, { digest, round = 1 }: ImporterOptions): KeyedRow {
	if (!row.pet) return { row };
	const key = rowKey(digest, row.number, round);
	return { row, text: `{"key":"${key}",${petJson(row.pet).slice(1)}` };
}

/** @param number the row's number in the file */
function rowKey(digest: string, number: number, round: number): string {
	return `${digest.slice(0, 16)}-${number}${round > 1 ? `-${round}` : ""}`;
}

function outcomeOf(result: ImportResult, { mayBeStored, sinceMs }: Attempts): RowOutcome {
	// An earlier attempt, whose reply was lost, has added the row.
	if (result.outcome === "present" && mayBeStored && result.atMs >= sinceMs) return { outcome: "added", id: result.id };
	if (result.outcome === "added" || result.outcome === "present") return result;
	const faults = result.outcome === "invalid" ? result.faults : [earlierFault(result)];
	return { outcome: "rejected", faults };
}

function earlierFault({ outcome, id }: Exclude<ImportResult, { outcome: "invalid" }>): Fault {
	const problem = outcome === "removed" ? "added before, and removed since" : "already there with other fields";
	return { field: undefined, problem, detail: `animal ${id}` };
}

const blockSize = 1024 * 1024;

/** A digest of the whole file, in hex: SHA-256, block after block. Needs Web Crypto: in browsers https or localhost. */
export async function digestOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
	// Contains the digest so far, then the next block.
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
