// The importer of the command and the console. Before it runs, the whole file has been checked.
//
// 1. Rows are read in the order of the file and cut into batches: at most 1,000 rows that fit into a request's body.
// 2. Each row has a key: the digest of the file's content, and the row's number. Within 24 hours, the service adds only
//    one animal per key, so nothing is added twice if the file is imported again, by anyone.
// 3. One batch is sent at a time, so that animals have the order of the file. The next batch is read meanwhile.
// 4. A batch is sent again until it has a result for each row (import-request.ts). If its reply was lost, an earlier
//    attempt has added the rows that the next attempt finds in the store, unless they were there before.
// 5. Rows with faults, and rows that are left out, are in their batch but are not sent, so that outcomes, too, have the
//    order of the file.
// 6. After a failure or a pause, the batch under way is kept, and `run` continues with it.

import { type ImportResult, importRowsMax } from "../contract/console.ts";
import { bodyMaxBytes } from "../contract/limits.ts";
import { petJson } from "../contract/pet.ts";
import type { Fault } from "../contract/validate.ts";
import type { EarlierRow, PresentRow, RowsToSend } from "./earlier-rows.ts";
import { type Attempts, type ImportTarget, sendBatch } from "./import-request.ts";
import { type RowContent, rowHasher } from "./row-content.ts";
import type { FileRow } from "./rows.ts";

/** The outcome of a row: its animal is in the store, or the row was left out because of these faults. */
type RowOutcome =
	| { outcome: "added"; id: number | bigint; faults?: undefined }
	| (PresentRow & { outcome: "present"; faults?: undefined })
	| { outcome: "rejected"; faults: Fault[] };

export type SettledRow = { row: FileRow } & RowOutcome;

interface ImporterOptions extends RowsToSend {
	/** By default 1; a larger number adds the rows once more. */
	round?: number;
	/** Rows, by their `number`, that are left out because another file has added them. */
	earlier?: ReadonlyMap<number, EarlierRow> | undefined;
	/** Called after each batch, with its rows in the order of the file. */
	onSettled: (rows: SettledRow[]) => void;
}

interface Batch extends Attempts {
	/** Includes rows with faults, so that outcomes are in the order of the file. */
	rows: KeyedRow[];
}

/** A row with the JSON that is sent, or with its outcome if it is not sent. */
type KeyedRow = { row: FileRow; text: string } | { row: FileRow; text?: undefined; settled: RowOutcome };

/** The size of a request's body without its rows and the file's name, rounded up. */
const frameBytes = 64;

export type Importer = ReturnType<typeof createImporter>;

export function createImporter(options: ImporterOptions) {
	const batches = batchesOf(options);
	/**
	 * The batch under way (after a failure, the batch that failed), and the next batch. A batch that could not be read
	 * fails again.
	 */
	const ahead: Promise<Batch | undefined>[] = [];

	/** Reads a batch in the next tick, because a request should be sent first, and reading takes some milliseconds. */
	async function read(): Promise<Batch | undefined> {
		await new Promise((resolve) => setTimeout(resolve));
		return (await batches.next()).value;
	}

	function batchAt(index: 0 | 1): Promise<Batch | undefined> {
		ahead[index] ??= read();
		return ahead[index];
	}

	async function send(batch: Batch, target: ImportTarget): Promise<void> {
		const sent = batch.rows.flatMap(({ text }) => text ?? []);
		const { file } = options.file;
		const results = (sent.length > 0 ? await sendBatch(sent, { ...target, file }, batch) : []).values();
		const outcome = (keyed: KeyedRow): RowOutcome =>
			keyed.text === undefined ? keyed.settled : outcomeOf(results.next().value as ImportResult, batch);
		options.onSettled(batch.rows.map((keyed) => ({ row: keyed.row, ...outcome(keyed) })));
	}

	return {
		/**
		 * Sends rows until the end of the file, or until `target.signal` is aborted. Call it again to continue.
		 * @returns whether the end of the file was reached
		 * @throws ImportFailure, and errors of reading the file; the next call resends the unfinished batch
		 */
		async run(target: ImportTarget): Promise<boolean> {
			for (;;) {
				const batch = await batchAt(0);
				if (!batch) return true;
				if (target.signal.aborted) return false;
				void batchAt(1).catch(() => {}); // The error is thrown when the batch's turn comes.
				await send(batch, target);
				void ahead.shift();
			}
		},
	};
}

async function* batchesOf(options: ImporterOptions): AsyncGenerator<Batch, undefined> {
	const { rows, file, hash, isWanted = () => true } = options;
	const hashesOf = rowHasher(hash);
	const emptyBytes = frameBytes + bytesOf(JSON.stringify(file.file));
	let batch: Batch = { rows: [], sinceMs: 0, mayBeStored: false };
	let bytes = emptyBytes;
	for await (const piece of rows)
		for (const row of piece.filter(isWanted)) {
			const keyed = keyedRow(row, hashesOf, options);
			const size = keyed.text === undefined ? 0 : bytesOf(keyed.text) + 1;
			if (bytes + size > bodyMaxBytes || batch.rows.length === importRowsMax) {
				yield batch;
				batch = { rows: [], sinceMs: 0, mayBeStored: false };
				bytes = emptyBytes;
			}
			batch.rows.push(keyed);
			bytes += size;
		}
	if (batch.rows.length > 0) yield batch;
}

const encoder = new TextEncoder();

/** The size in UTF-8. ASCII is not encoded, because encoding every row would be slow in browsers. */
function bytesOf(text: string): number {
	return /^[ -~]*$/.test(text) ? text.length : encoder.encode(text).length;
}

function keyedRow(
	row: FileRow,
	hashesOf: (row: FileRow) => RowContent,
	{ file, earlier, round = 1 }: ImporterOptions,
): KeyedRow {
	const { pet, faults = [], number } = row;
	if (!pet) return { row, settled: { outcome: "rejected", faults } };
	const found = earlier?.get(number);
	if (found) return { row, settled: settledOf({ outcome: found.outcome, id: found.id, ...found.of }) };
	const keyed = { key: rowKey(file.digest, number, round), ...hashesOf(row) };
	return { row, text: `${JSON.stringify(keyed).slice(0, -1)},${petJson(pet).slice(1)}` };
}

/** @param number the row's number in the file */
function rowKey(digest: string, number: number, round: number): string {
	return `${digest}-${number}${round > 1 ? `-${round}` : ""}`;
}

function outcomeOf(result: ImportResult, { mayBeStored, sinceMs }: Attempts): RowOutcome {
	const { outcome } = result;
	// An earlier attempt, whose reply was lost, has added the row.
	if (outcome === "present" && mayBeStored && result.atMs >= sinceMs) return { outcome: "added", id: result.id };
	if (outcome === "added") return result;
	return outcome === "invalid" ? { outcome: "rejected", faults: result.faults } : settledOf(result);
}

function settledOf(result: PresentRow): RowOutcome {
	const { outcome, id } = result;
	if (outcome === "present") return { ...result, outcome };
	const problem = outcome === "removed" ? "added before, and removed since" : "already there with other values";
	return { outcome: "rejected", faults: [{ field: undefined, problem, detail: `animal ${id}` }] };
}
