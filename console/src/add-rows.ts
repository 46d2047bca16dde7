// Adds the rows of a file with the importer (src/files/importer.ts), as a job that outlives the view, the session and
// the page: it can be paused and resumed, even with another API key.

import { ImportFailure, type ImportTarget } from "../../src/files/import-request.ts";
import {
	createImporter,
	digestOf,
	type Importer,
	type ImporterOptions,
	type SettledRow,
} from "../../src/files/importer.ts";
import { type ReadOptions, readRows } from "../../src/files/rows.ts";
import { type PetFile, type Rejected, rejectedText } from "./open-rows.ts";

export interface JobState {
	phase: "running" | "paused" | "finished";
	added: number;
	/** Rows that an earlier import of the same file added, whoever started that import. */
	alreadyThere: number;
	/** When the first of these rows was added, in milliseconds since 1970. */
	importedAtMs?: number | undefined;
	rejected: number;
	/** Rows that can be added and have no outcome yet. */
	left: number;
	shown: Rejected[];
	/** The failure that paused the job. */
	failure?: unknown;
	/** Rows per second in the last two seconds; 0 while paused. */
	perSecond: number;
}

/** Where the rows go: the part of a session that a job needs. */
export type Sender = Pick<ImportTarget, "url" | "key" | "fetch">;

export interface Job {
	readonly file: PetFile;
	readonly total: number;
	state: JobState;
	/** Called after each change of `state`: by a new phase, or by the outcome of a batch. */
	watchers: Set<() => void>;
	/** Starts the job, or continues it after a pause. */
	run(sender: Sender): void;
	pause(): void;
	/** Deletes the job and everything kept for it. */
	discard(): void;
	/** A new job that adds the already imported rows once more. */
	again(): Job;
	/** All rejected rows in the file's format, each with its line and the reason. */
	rejectedText(): string[];
}

export interface KeptImport {
	blob: Blob;
	name: string;
	sheet: string | undefined;
	options: ReadOptions;
	total: number;
	round: number;
	only: ReadonlySet<number> | undefined;
	digest: string;
}

/** The outcome of a batch. */
export interface KeptBatch {
	/** The number of the batch's last row. */
	last: number;
	sent: number;
	added: number;
	/** The numbers of the already imported rows, and when the first of them was imported. */
	present: number[];
	importedAtMs?: number | undefined;
	leftOut: Rejected[];
}

export interface Resumed {
	/** When the import began, in milliseconds since 1970. */
	sinceMs: number;
	kept: KeptImport;
	batches: KeptBatch[];
	keeper: Keeper;
}

/** Keeps an import until it ends (kept-job.ts). */
export interface Keeper {
	settled(batch: KeptBatch): void;
	end(): void;
}

export interface JobOptions {
	file: PetFile;
	/** Rows that can be added. */
	total: number;
	/** 1 for the first import of a file; one more each time the file's rows are added again. */
	round?: number;
	/** The numbers of the rows to add; if absent, all rows are added. */
	only?: ReadonlySet<number> | undefined;
	keep?: ((kept: KeptImport) => Promise<Keeper>) | undefined;
	resumed?: Resumed;
}

const retryForMs = 300_000;
export const shownMax = 200;
const paceOverMs = 2_000;

const atStart: Omit<JobState, "left"> = {
	phase: "paused",
	added: 0,
	alreadyThere: 0,
	rejected: 0,
	shown: [],
	perSecond: 0,
};

export function createJob(options: JobOptions): Job {
	const { file, total, round = 1, only, keep, resumed } = options;
	const tally = createTally(file);
	const pace = createPace();
	let importer: Importer | undefined;
	let digest = resumed?.kept.digest;
	let keeper = resumed?.keeper;
	let running = new AbortController();
	/** Resolves when the batch that was under way at the last pause has its outcome. */
	let ended = Promise.resolve();

	const job: Job = {
		file,
		total,
		state: { ...atStart, left: total },
		watchers: new Set(),
		run(sender) {
			if (job.state.phase !== "paused") return;
			pace.restart();
			change({ phase: "running", failure: undefined });
			running = new AbortController();
			const { signal } = running;
			ended = ended.then(() => runAll(sender, signal)).catch((failure) => stop(signal, failure));
		},
		pause: () => stop(running.signal),
		discard: () => keeper?.end(),
		again: () => createJob({ file, total: tally.there.size, round: round + 1, only: tally.there, keep }),
		rejectedText: () => tally.rejectedTexts,
	};

	function change(part: Partial<JobState>): void {
		job.state = { ...job.state, ...part };
		for (const watcher of job.watchers) watcher();
	}

	async function runAll(sender: Sender, signal: AbortSignal): Promise<void> {
		digest ??= await fileDigest(file);
		if (signal.aborted) return;
		keeper ??= await keep?.({ ...chosen(file), total, round, only, digest });
		importer ??= importerOf(options, digest, settle);
		if (!(await runOrEnd(importer, { ...sender, retryForMs, signal }, settle))) return;
		keeper?.end();
		change({ phase: "finished", perSecond: 0 });
	}

	/** Does nothing if this run was already stopped. */
	function stop({ aborted }: AbortSignal, failure?: unknown): void {
		if (aborted) return;
		running.abort();
		change({ phase: "paused", perSecond: 0, failure });
	}

	function settle(rows: SettledRow[]): void {
		const batch = batchOf(rows);
		keeper?.settled(batch);
		const next = tally.add(job.state, batch);
		change({ ...next, perSecond: pace.next(next.added + next.alreadyThere) });
	}

	for (const batch of resumed?.batches ?? []) change(tally.add(job.state, batch));
	return job;
}

type OnSettled = ImporterOptions["onSettled"];

function importerOf({ file, round = 1, only, resumed }: JobOptions, digest: string, onSettled: OnSettled): Importer {
	const last = resumed?.batches.at(-1)?.last ?? 0;
	return createImporter({
		rows: readRows(file.source, file.kind, file.options),
		digest,
		round,
		...(resumed && { sinceMs: resumed.sinceMs }),
		isWanted: ({ number }) => number > last && (only?.has(number) ?? true),
		onSettled,
	});
}

/** Ends the import, and leaves out its remaining rows, after so long a pause that a retry could add rows twice. */
async function runOrEnd(importer: Importer, target: ImportTarget, onSettled: OnSettled): Promise<boolean> {
	try {
		return await importer.run(target);
	} catch (failure) {
		if (!(failure instanceof ImportFailure && failure.kind === "expired")) throw failure;
		const rest: SettledRow[] = [];
		for await (const settled of importer.rest()) rest.push(settled);
		onSettled(rest);
		return true;
	}
}

/** The parts of a file that are needed to read its rows again. */
function chosen({ name, blob, kind: { sheet }, options }: PetFile) {
	return { name, blob, sheet, options };
}

/** The outcomes of the rows so far. */
function createTally(file: PetFile) {
	const rejectedTexts: string[] = [];
	const there = new Set<number>();
	return {
		rejectedTexts,
		there,
		add(state: JobState, { sent, added, present, importedAtMs, leftOut }: KeptBatch) {
			for (const one of leftOut) rejectedTexts.push(rejectedText(one, file, rejectedTexts.length === 0));
			for (const number of present) there.add(number);
			return {
				added: state.added + added,
				alreadyThere: there.size,
				importedAtMs: state.importedAtMs ?? importedAtMs,
				rejected: rejectedTexts.length,
				shown: [...state.shown, ...leftOut.slice(0, shownMax - state.shown.length)],
				left: state.left - sent,
			};
		},
	};
}

function batchOf(rows: SettledRow[]): KeptBatch {
	const leftOut = rows.flatMap(({ row, faults, key }) => (faults ? [{ row, faults, sentKey: key }] : []));
	const present = rows.filter(({ outcome }) => outcome === "present");
	return {
		last: rows.at(-1)?.row.number ?? 0,
		sent: rows.filter(({ row }) => row.pet).length,
		added: rows.length - leftOut.length - present.length,
		present: present.map(({ row }) => row.number),
		importedAtMs: present[0]?.atMs,
		leftOut,
	};
}

function createPace() {
	const marks: { atMs: number; done: number }[] = [];
	return {
		restart: () => {
			marks.length = 0;
		},
		next(done: number): number {
			const atMs = performance.now();
			marks.push({ atMs, done });
			while ((marks[0]?.atMs ?? atMs) < atMs - paceOverMs) marks.shift();
			const first = marks[0] ?? { atMs, done };
			return Math.round((done - first.done) / Math.max(0.1, (atMs - first.atMs) / 1000));
		},
	};
}

/** Over plain http, browsers compute no digest. A random text keeps pauses safe, but a new import repeats the rows. */
function fileDigest({ source }: PetFile): Promise<string> | string {
	if (crypto.subtle) return digestOf(source());
	return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
