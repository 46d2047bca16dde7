// Adds the rows of a file with the importer (src/files/importer.ts), as a job that outlives the view and the session:
// it can be paused and resumed, even with another API key. After a reload, the same file can be imported again: its
// rows have the same Idempotency-Keys as before, so only the missing rows are added.

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { digestDigits, type Import } from "../../../src/contract/console.ts";
import { describeAdded, type EarlierRows, type RowsToSend } from "../../../src/files/earlier-rows.ts";
import type { Source } from "../../../src/files/formats.ts";
import { createImporter, type Importer, type SettledRow } from "../../../src/files/importer.ts";
import { readRows } from "../../../src/files/rows.ts";
import type { Sender } from "../session/asking.ts";
import { type PetFile, type Rejected, rejectedText } from "./open-rows.ts";

export interface JobState {
	phase: "running" | "paused" | "finished";
	added: number;
	/** Rows that an earlier import added, whoever started that import. */
	alreadyThere: number;
	/** When and by whom the first of these rows was added. */
	earlier?: string | undefined;
	rejected: number;
	/** Rows that can be added and have no outcome yet. */
	left: number;
	shown: Rejected[];
	/** The failure that paused the job. */
	failure?: unknown;
	/** Rows per second in the last two seconds; 0 while paused. */
	perSecond: number;
}

export interface Job {
	readonly file: PetFile;
	readonly total: number;
	state: JobState;
	/** Called after a new phase, or the outcome of a batch, has changed `state`. */
	watchers: Set<() => void>;
	/** Starts the job, or continues it after a pause. */
	run(sender: Sender): void;
	pause(): void;
	/** A new job that adds the already imported rows once more. */
	again(): Job;
	/** All rejected rows in the file's format, each with its line and the reason. */
	rejectedText(): string[];
}

interface JobOptions {
	file: PetFile;
	/** Rows that can be added. */
	total: number;
	/** 1 for the first import of a file; one more each time the file's rows are added again. */
	round?: number;
	/** The rows to add, each by its number; if absent, all rows are added. */
	only?: ReadonlySet<number> | undefined;
	/** Rows that are left out, because another file has added them. */
	earlier?: EarlierRows["found"] | undefined;
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

export function createJob({ file, total, round = 1, only, earlier }: JobOptions): Job {
	const tally = createTally(file);
	const pace = createPace();
	let importer: Importer | undefined;
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
		again: () => createJob({ file, total: tally.there.size, round: round + 1, only: tally.there }),
		rejectedText: () => tally.rejectedTexts,
	};

	function change(part: Partial<JobState>): void {
		job.state = { ...job.state, ...part };
		for (const watcher of job.watchers) watcher();
	}

	async function runAll(sender: Sender, signal: AbortSignal): Promise<void> {
		importer ??= createImporter({ ...(await rowsToSend(file, only)), round, earlier, onSettled: settle });
		if (await importer.run({ ...sender, retryForMs, signal })) change({ phase: "finished", perSecond: 0 });
	}

	/** Does nothing if this run was already stopped. */
	function stop({ aborted }: AbortSignal, failure?: unknown): void {
		if (aborted) return;
		running.abort();
		change({ phase: "paused", perSecond: 0, failure });
	}

	function settle(rows: SettledRow[]): void {
		const next = tally.add(job.state, rows);
		change({ ...next, perSecond: pace.next(next.added + next.alreadyThere) });
	}

	return job;
}

/** The outcomes of the rows so far. */
function createTally(file: PetFile) {
	const rejectedTexts: string[] = [];
	const there = new Set<number>();
	let first: string | undefined;
	return {
		rejectedTexts,
		there,
		add(state: JobState, rows: SettledRow[]) {
			const leftOut = rows.flatMap(({ row, faults }) => (faults ? [{ row, faults }] : []));
			const present = rows.flatMap((row) => (row.outcome === "present" ? [row] : []));
			first ??= present[0] && describeAdded(present[0]);
			for (const one of leftOut) rejectedTexts.push(rejectedText(one, file, rejectedTexts.length === 0));
			for (const { row } of present) there.add(row.number);
			return {
				added: state.added + rows.length - leftOut.length - present.length,
				alreadyThere: there.size,
				earlier: first,
				rejected: rejectedTexts.length,
				shown: [...state.shown, ...leftOut.slice(0, shownMax - state.shown.length)],
				left: state.left - rows.filter(({ row }) => row.pet).length,
			};
		},
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

/** The rows of a file, prepared for the search for rows that were added earlier, and for sending. */
export async function rowsToSend(file: PetFile, only?: ReadonlySet<number>): Promise<RowsToSend> {
	return {
		rows: readRows(file.source, file.kind, file.options),
		file: { file: file.name.replace(/\p{Cc}/gu, " ").slice(-255), digest: await digestOf(file) },
		// The browser's own SHA-256 is missing over plain http, and is slow for short texts.
		hash: (text) => bytesToHex(sha256(utf8ToBytes(text))),
		isWanted: ({ number }) => only?.has(number) ?? !file.earlier?.has(number),
	};
}

const digests = new WeakMap<Source, Promise<Import["digest"]>>();

function digestOf({ source }: PetFile): Promise<string> {
	const read = async () => {
		const digest = sha256.create();
		for await (const chunk of source()) digest.update(chunk);
		return bytesToHex(digest.digest()).slice(0, digestDigits);
	};
	const known = digests.get(source) ?? read();
	digests.set(source, known);
	return known;
}
