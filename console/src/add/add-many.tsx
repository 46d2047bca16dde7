// The view that adds many animals: the user drops a file or pastes rows, checks the rows in steps, and adds them.

import "./add-many.css";
import "./add-tables.css";
import { previewRows } from "../../../src/files/rows.ts";
import { MissingScope } from "../parts/notes.tsx";
import { may, type Session } from "../session/session.ts";
import { AddFile } from "./add-file.tsx";
import type { Job } from "./add-rows.ts";
import { ChooseFile } from "./choose-file.tsx";
import { JobProgress } from "./job-progress.tsx";
import { type Choosing, nothingChosen } from "./kept.ts";
import { describe, previewed, readTable } from "./open-file.ts";

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
			const sheets = names && { names, open: (other: string | undefined) => void open(blob, name, other) };
			return { file: { name, source, kind, preview, ...(sheets && { sheets }) } };
		} catch (failure) {
			return { failure };
		}
	}

	function start(started: Job): void {
		setChoosing(() => nothingChosen);
		setJob(started);
		started.run(session.sender);
	}

	if (job) return <JobProgress job={job} session={session} onEnd={() => setJob(undefined)} onAgain={start} />;
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
