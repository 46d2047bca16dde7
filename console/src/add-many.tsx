// The view that adds many animals: the user drops a file or pastes rows, checks the rows in steps, and adds them.

import "./add-many.css";
import "./add-tables.css";
import { previewRows } from "../../src/files/rows.ts";
import { AddFile } from "./add-file.tsx";
import { createJob, type Job } from "./add-rows.ts";
import { ChooseFile } from "./choose-file.tsx";
import { JobProgress } from "./job-progress.tsx";
import { type Choosing, nothingChosen } from "./kept.ts";
import { keepImport, readImport } from "./kept-job.ts";
import { MissingScope } from "./notes.tsx";
import { describe, previewed, readTable } from "./open-file.ts";
import { may, type Session } from "./session.ts";

export interface AddManyProps {
	session: Session;
	/** The import, which outlives the view and the session. */
	job: Job | undefined;
	setJob(job: Job | undefined): void;
	choosing: Choosing;
	setChoosing(next: (before: Choosing) => Choosing): void;
}

export function AddMany({ session, job, setJob, choosing, setChoosing }: AddManyProps) {
	const { text, file, failure, reading } = choosing;
	if (!may(session, "pets:write")) return <MissingScope title="This key may not add animals" scope="pets:write" />;

	async function open(blob: Blob, name: string, sheet?: string): Promise<void> {
		const own = {};
		setChoosing((now) => ({ ...now, reading: own }));
		const next = await read(blob, name, sheet);
		setChoosing((now) => (now.reading === own ? { text: now.text, ...next } : now));
	}
	async function read(blob: Blob, name: string, sheet?: string): Promise<Pick<Choosing, "file" | "failure">> {
		try {
			const { source, kind, names } = await readTable(blob, sheet);
			const preview = await previewRows(source, kind, previewed);
			const sheets = names && { names, open: (other: string) => void open(blob, name, other) };
			return { file: { name, blob, source, kind, preview, ...(sheets && { sheets }) } };
		} catch (failure) {
			return { failure };
		}
	}

	function start(started: Job): void {
		setChoosing(() => nothingChosen);
		setJob(started);
		started.run(session.sender);
	}

	function end(ended: Job): void {
		ended.discard();
		setJob(undefined);
	}

	if (job) return <JobProgress job={job} session={session} onEnd={() => end(job)} onAgain={start} />;
	if (file)
		return (
			<AddFile
				key={`${file.name} ${file.kind.sheet}`}
				file={file}
				session={session}
				onBack={() => setChoosing((now) => ({ text: now.text }))}
				onStart={start}
			/>
		);
	const note = reading ? "Reading the file …" : failure === undefined ? undefined : describe(failure);
	const setText = (next: string) => setChoosing((now) => ({ ...now, text: next }));
	return <ChooseFile text={text} setText={setText} onChoose={open} note={note} />;
}

/** Restores this tab's import after a reload. The restored import is paused. */
export async function restoreJob(setJob: (next: (now: Job | undefined) => Job | undefined) => void): Promise<void> {
	const job = await readJob().catch(() => undefined);
	setJob((now) => now ?? job);
}

/** @throws if the browser has lost the file */
async function readJob(): Promise<Job | undefined> {
	const resumed = await readImport();
	if (!resumed) return undefined;
	const { blob, name, sheet, options, total, round, only } = resumed.kept;
	const { source, kind } = await readTable(blob, sheet);
	return createJob({ file: { name, blob, source, kind, options }, total, round, only, keep: keepImport, resumed });
}
