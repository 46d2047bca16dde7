// Adds the rows of a file, each with its own Idempotency-Key, so that a row is added once whatever fails on the way.
// The job outlives the view and the session: with another key it goes on where it was.

import { type AnimalStore, ApiError } from "../../client/src/index.ts";
import { brokenFieldsIn } from "../../src/contract/broken-fields.ts";
import { newPetFields } from "../../src/contract/pet.ts";
import { describeFaults, type Fault } from "../../src/files/faults.ts";
import type { FileKind, Source } from "../../src/files/file-kind.ts";
import { rejectedRow } from "../../src/files/rejected-rows.ts";
import { digestOf, rowKey } from "../../src/files/row-keys.ts";
import { type FileRow, type ReadOptions, readRows } from "../../src/files/rows.ts";

/** A file that was read, and how to read its rows. */
export interface PetFile {
	name: string;
	source: Source;
	kind: FileKind;
	options: ReadOptions;
}

export interface Rejected {
	row: FileRow;
	faults: Fault[];
}

export interface JobState {
	phase: "running" | "paused" | "finished";
	added: number;
	/** Added before, from the same file. */
	alreadyThere: number;
	/** Added before from the same file with other values; they stay as they are. */
	differing: number;
	rejected: number;
	/** The first rejected rows, to be shown. */
	shown: Rejected[];
	/** Why it paused by itself. */
	failure?: unknown;
	/** Rows per second of the last moments; 0 while paused. */
	perSecond: number;
}

export interface Job {
	readonly file: PetFile;
	readonly total: number;
	state: JobState;
	/** Called at most ten times a second. */
	onChange: () => void;
	/** Starts, or goes on after a pause. */
	run(store: AnimalStore<"bigint">): void;
	pause(): void;
	/** All rejected rows, in the format of the file, with line and reason. */
	rejectedText(): string[];
}

export interface JobOptions {
	file: PetFile;
	/** Rows that can be added. */
	total: number;
	/** One row after the other. */
	isInOrder: boolean;
}

/** Browsers open six connections to a server. */
const concurrency = 6;
export const shownMax = 200;
export const changeEveryMs = 100;
const paceOverMs = 2_000;
/** What concerns one row only; any other failure would hit the next one too. */
const rowErrors: string[] = ["invalid_json", "invalid_body", "body_too_large"];

const atStart: JobState = {
	phase: "paused",
	added: 0,
	alreadyThere: 0,
	differing: 0,
	rejected: 0,
	shown: [],
	perSecond: 0,
};

export function createJob({ file, total, isInOrder }: JobOptions): Job {
	const rejectedTexts: string[] = [];
	/** Taken and not settled when the job paused. */
	const waiting: FileRow[] = [];
	const pace = createPace();
	let digest: string | undefined;
	let rows: AsyncIterator<FileRow> | undefined;
	let running: AbortController | undefined;
	const changes = throttled(() => job.onChange(), changeEveryMs);

	const job: Job = {
		file,
		total,
		state: atStart,
		onChange: () => {},
		run(store) {
			if (job.state.phase !== "paused") return;
			pace.restart();
			change({ phase: "running", failure: undefined });
			void runAll(store);
		},
		pause: () => stop(),
		rejectedText: () => rejectedTexts,
	};

	function change(part: Partial<JobState>, isNow = true): void {
		job.state = { ...job.state, ...part };
		if (isNow) changes.now();
		else changes.soon();
	}

	async function runAll(store: AnimalStore<"bigint">): Promise<void> {
		const controller = new AbortController();
		running = controller;
		try {
			digest ??= await fileDigest(file.source);
			rows ??= singleRows(file);
			await Promise.all(Array.from({ length: isInOrder ? 1 : concurrency }, () => work(store, controller.signal)));
			if (!controller.signal.aborted) change({ phase: "finished", perSecond: 0 });
		} catch (failure) {
			stop(failure);
		}
	}

	function stop(failure?: unknown): void {
		running?.abort();
		change({ phase: "paused", perSecond: 0, failure });
	}

	async function work(store: AnimalStore<"bigint">, signal: AbortSignal): Promise<void> {
		while (!signal.aborted) {
			const row = waiting.shift() ?? (await rows?.next())?.value;
			if (!row) return;
			try {
				record(row, await addRow(store, row, rowKey(digest ?? "", row.number), signal));
			} catch (failure) {
				waiting.push(row);
				if (!signal.aborted) throw failure;
			}
		}
	}

	function record(row: FileRow, outcome: Outcome): void {
		const { added, alreadyThere, rejected } = job.state;
		if (typeof outcome === "object") rejectedTexts.push(rejectedRow(row, outcome.reason, file.kind, rejected === 0));
		change({ ...changeBy(job.state, row, outcome), perSecond: pace.next(added + alreadyThere) }, false);
	}

	return job;
}

type Outcome = "added" | "alreadyThere" | "differing" | { faults: Fault[]; reason: string };

function changeBy(state: JobState, row: FileRow, outcome: Outcome): Partial<JobState> {
	if (typeof outcome === "string") return { [outcome]: state[outcome] + 1 };
	const more = state.rejected < shownMax ? [{ row, faults: outcome.faults }] : [];
	return { rejected: state.rejected + 1, shown: [...state.shown, ...more] };
}

/** @throws what concerns more than this row */
async function addRow(
	store: AnimalStore<"bigint">,
	row: FileRow,
	idempotencyKey: string,
	signal: AbortSignal,
): Promise<Outcome> {
	if (!row.pet) return { faults: row.faults, reason: describeFaults(row.faults) };
	try {
		const { response } = await store.createPet(row.pet, { idempotencyKey, signal }).withResponse();
		return response.headers.get("idempotency-replayed") === "true" ? "alreadyThere" : "added";
	} catch (error) {
		if (error instanceof ApiError && error.code === "idempotency_key_reused") return "differing";
		if (!(error instanceof ApiError && rowErrors.includes(error.code))) throw error;
		return { faults: faultsIn(error.message), reason: error.message };
	}
}

/** Calls at once with `now`, and with `soon` once in this time, so that the last change is never missed. */
function throttled(call: () => void, everyMs: number) {
	let timer: ReturnType<typeof setTimeout> | undefined;
	const now = () => {
		clearTimeout(timer);
		timer = undefined;
		call();
	};
	return {
		now,
		soon: () => {
			timer ??= setTimeout(now, everyMs);
		},
	};
}

/** Rows per second over the last moments. */
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

async function* singleRows({ source, kind, options }: PetFile): AsyncGenerator<FileRow> {
	for await (const rows of readRows(source, kind, options)) yield* rows;
}

/** Pages over plain http cannot compute a digest: there the job is safe to resume, but not the file in another one. */
function fileDigest(source: Source): Promise<string> | string {
	if (crypto.subtle) return digestOf(source());
	return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function faultsIn(message: string): Fault[] {
	return brokenFieldsIn(message).map(({ field, rule }) => ({
		field: newPetFields.find((name) => name === field),
		problem: rule,
	}));
}
