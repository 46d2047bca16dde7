// Adds the rows of a file, each with its own Idempotency-Key, so that a row is added once whatever fails on the way.
// The job outlives the view and the session. With another key it continues, but rows with an unknown outcome are looked
// up, and a person decides about those that are not found.

import { type AnimalStore, ApiError } from "../../client/src/index.ts";
import type { Pet } from "../../src/contract/pet.ts";
import type { Fault } from "../../src/contract/validate.ts";
import { digestOf, rowErrors, rowKey } from "../../src/files/creates.ts";
import type { Source } from "../../src/files/formats.ts";
import type { FileRow } from "../../src/files/rows.ts";
import type { Sender } from "./look-up.ts";
import { openRows, type PetFile, type Rejected, rejectedText } from "./open-rows.ts";

export interface JobState {
	phase: "running" | "paused" | "finished";
	added: number;
	/** Added before, from the same file. */
	alreadyThere: number;
	/** Added before from the same file with other values; they stay as they are. */
	differing: number;
	rejected: number;
	/** Rows that can be added and have no outcome yet. */
	left: number;
	/** The first rejected rows, to be shown. */
	shown: Rejected[];
	/** Rows that another key sent without a reply and that were not found. It is paused until `decide`. */
	undecided: Rejected[];
	/** Why it paused by itself. */
	failure?: unknown;
	/** Rows per second in the last two seconds; 0 while paused. */
	perSecond: number;
}

export interface Job {
	readonly file: PetFile;
	readonly total: number;
	state: JobState;
	/** Called after a change, at most ten times a second while rows are added. */
	watchers: Set<() => void>;
	/** Starts, or continues after a pause. */
	run(sender: Sender): void;
	pause(): void;
	/** Continues: the undecided rows are added, or rejected. */
	decide(isAdding: boolean, sender: Sender): void;
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

const atStart: Omit<JobState, "left"> = {
	phase: "paused",
	added: 0,
	alreadyThere: 0,
	differing: 0,
	rejected: 0,
	shown: [],
	undecided: [],
	perSecond: 0,
};

export function createJob({ file, total, isInOrder }: JobOptions): Job {
	const rejectedTexts: string[] = [];
	const open = openRows(file);
	const pace = createPace();
	let digest: string | undefined;
	let running = new AbortController();
	/** When all rows of the last run are settled or put back. */
	let ended = Promise.resolve();
	const changes = throttled(() => {
		for (const watcher of job.watchers) watcher();
	}, changeEveryMs);

	const job: Job = {
		file,
		total,
		state: { ...atStart, left: total },
		watchers: new Set(),
		run(sender) {
			if (job.state.phase !== "paused" || job.state.undecided.length > 0) return;
			pace.restart();
			change({ phase: "running", failure: undefined });
			running = new AbortController();
			const { signal } = running;
			ended = ended.then(() => runAll(sender, signal)).catch((failure) => stop(signal, failure));
		},
		pause: () => stop(running.signal),
		decide(isAdding, sender) {
			const { undecided } = job.state;
			change({ undecided: [] });
			if (isAdding) open.sendAgain(undecided);
			else for (const { row, faults } of undecided) record(row, faults);
			job.run(sender);
		},
		rejectedText: () => rejectedTexts,
	};

	function change(part: Partial<JobState>, isNow = true): void {
		job.state = { ...job.state, ...part };
		if (isNow) changes.now();
		else changes.soon();
	}

	async function runAll(sender: Sender, signal: AbortSignal): Promise<void> {
		digest ??= await fileDigest(file.source);
		const { found, undecided } = await open.lookUp(sender, signal);
		const { alreadyThere, left } = job.state;
		change({ undecided, alreadyThere: alreadyThere + found, left: left - found });
		if (undecided.length > 0) return stop(signal);
		const sending = { open, sender, digest, signal, record };
		const workers = Array.from({ length: isInOrder ? 1 : concurrency }, () => sendRows(sending));
		await Promise.all(workers.map((worker) => worker.catch((failure) => stop(signal, failure))));
		if (!signal.aborted) change({ phase: "finished", perSecond: 0 });
	}

	/** Does nothing if this run was stopped before. */
	function stop({ aborted }: AbortSignal, failure?: unknown): void {
		if (aborted) return;
		running.abort();
		change({ phase: "paused", perSecond: 0, failure });
	}

	function record(row: FileRow, outcome: Outcome): void {
		const { added, alreadyThere, rejected } = job.state;
		if (typeof outcome === "object") rejectedTexts.push(rejectedText({ row, faults: outcome }, file, rejected === 0));
		change({ ...changeBy(job.state, row, outcome), perSecond: pace.next(added + alreadyThere) }, false);
	}

	return job;
}

/** The faults of a rejected row. */
type Outcome = "added" | "alreadyThere" | "differing" | Fault[];

function changeBy(state: JobState, row: FileRow, outcome: Outcome): Partial<JobState> {
	const left = row.pet ? state.left - 1 : state.left;
	if (typeof outcome === "string") return { [outcome]: state[outcome] + 1, left };
	const more = state.rejected < shownMax ? [{ row, faults: outcome }] : [];
	return { rejected: state.rejected + 1, shown: [...state.shown, ...more], left };
}

interface Sending {
	open: ReturnType<typeof openRows>;
	sender: Sender;
	digest: string;
	signal: AbortSignal;
	record(row: FileRow, outcome: Outcome): void;
}

/** Sends rows one by one, until none is left or the signal aborts. @throws a failure that concerns more than one row */
async function sendRows({ open, sender, digest, signal, record }: Sending): Promise<void> {
	while (!signal.aborted) {
		const one = await open.take();
		if (!one) return;
		if (signal.aborted) return open.putBack(one, sender.info.id);
		try {
			const idempotencyKey = rowKey(digest, one.row.number) + (one.turn > 0 ? `-${one.turn}` : "");
			const outcome = await addRow(sender.patientStore, one.row, { idempotencyKey, signal, onStored: open.add });
			open.settle(one);
			record(one.row, outcome);
		} catch (failure) {
			open.putBack(one, sender.info.id, failure);
			throw failure;
		}
	}
}

interface AddOptions {
	idempotencyKey: string;
	signal: AbortSignal;
	onStored(pet: Pet): void;
}

/** @throws a failure that concerns more than this row */
async function addRow(
	store: AnimalStore<"bigint">,
	row: FileRow,
	{ onStored, ...options }: AddOptions,
): Promise<Outcome> {
	if (!row.pet) return row.faults;
	try {
		const { data, response } = await store.createPet(row.pet, options).withResponse();
		onStored(data);
		return response.headers.get("idempotency-replayed") === "true" ? "alreadyThere" : "added";
	} catch (error) {
		if (error instanceof ApiError && error.code === "idempotency_key_reused") return "differing";
		if (!(error instanceof ApiError && rowErrors.includes(error.code))) throw error;
		return [{ field: undefined, problem: error.message }];
	}
}

/** Calls at once with `now`, and with `soon` at most once in this time, but always after the last change. */
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

/** Rows per second in the last two seconds. */
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

/** Over plain http, browsers compute no digest: pausing is safe, but adding the file again adds its rows again. */
function fileDigest(source: Source): Promise<string> | string {
	if (crypto.subtle) return digestOf(source());
	return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
