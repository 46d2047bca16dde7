// The importer of the command and the console. Rows go to the service in batches, one after the other, so that their
// animals have the order of the file; the next batch is read while one is under way. A row's key is made from the row's
// content (row-keys.ts): importing the file again within 24 hours, by anyone, adds nothing twice.

import { type EarlierRow, type ImportedFile, type ImportResult, importRowsMax } from "../contract/console.ts";
import { bodyMaxBytes } from "../contract/limits.ts";
import { petJson } from "../contract/pet.ts";
import type { Fault } from "../contract/validate.ts";
import { type Attempts, type ImportTarget, sendBatch } from "./import-request.ts";
import { createRowKeys, type Hash, type RowKey } from "./row-keys.ts";
import type { FileRow } from "./rows.ts";

/** The outcome of a row: its animal is in the store, or the row was left out because of these faults. */
type RowOutcome =
	| { outcome: "added"; id: number | bigint; faults?: undefined }
	| (EarlierRow & { outcome: "present"; faults?: undefined })
	| { outcome: "rejected"; faults: Fault[] };

export type SettledRow = { row: FileRow } & RowOutcome;

export interface ImporterOptions {
	rows: AsyncIterable<FileRow[]>;
	file: ImportedFile;
	hash: Hash;
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

/** The size of a request's body without its rows and its file, rounded up. */
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
		const { file } = options;
		const results = (sent.length > 0 ? await sendBatch(sent, { ...target, file }, batch) : []).values();
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
	const { rows, file, hash, round, isWanted = () => true } = options;
	const keyOf = createRowKeys(hash, round);
	const emptyBytes = frameBytes + bytesOf(JSON.stringify(file));
	let batch: Batch = { rows: [], sinceMs: 0, mayBeStored: false };
	let bytes = emptyBytes;
	for await (const piece of rows)
		for (const row of piece.filter(isWanted)) {
			const keyed = keyedRow(row, keyOf);
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

/** The size in UTF-8. Encoding every row would be slow in browsers. */
function bytesOf(text: string): number {
	return /^[ -~]*$/.test(text) ? text.length : encoder.encode(text).length;
}

function keyedRow(row: FileRow, keyOf: (row: FileRow) => RowKey): KeyedRow {
	if (!row.pet) return { row };
	return { row, text: `${JSON.stringify(keyOf(row)).slice(0, -1)},${petJson(row.pet).slice(1)}` };
}

function outcomeOf(result: ImportResult, { mayBeStored, sinceMs }: Attempts): RowOutcome {
	const { outcome } = result;
	// An earlier attempt, whose reply was lost, has added the row.
	if (outcome === "present" && mayBeStored && result.atMs >= sinceMs) return { outcome: "added", id: result.id };
	if (outcome === "added") return result;
	if (outcome === "present") return { ...result, outcome };
	const faults = outcome === "invalid" ? result.faults : [earlierFault(result)];
	return { outcome: "rejected", faults };
}

function earlierFault({ outcome, id }: EarlierRow): Fault {
	const problem = outcome === "removed" ? "added before, and removed since" : "already there with other values";
	return { field: undefined, problem, detail: `animal ${id}` };
}
