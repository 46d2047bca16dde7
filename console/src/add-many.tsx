// The view that adds many animals: a file is dropped or rows pasted, checked in steps, and its rows are added.

import "./add-many.css";
import { useRef, useState } from "preact/hooks";
import { isArchive } from "../../src/files/encoding.ts";
import { blobSource, detectKind } from "../../src/files/formats.ts";
import { previewRows } from "../../src/files/rows.ts";
import { AddFile } from "./add-file.tsx";
import type { Job } from "./add-rows.ts";
import { ChooseFile } from "./choose-file.tsx";
import { JobProgress } from "./job-progress.tsx";
import { MissingScope } from "./notes.tsx";
import { describe, type OpenFile, previewed } from "./open-file.ts";
import { may, type Session } from "./session.ts";

export interface AddManyProps {
	session: Session;
	/** It outlives the view and the session. */
	job: Job | undefined;
	setJob(job: Job | undefined): void;
}

interface Chosen {
	file?: OpenFile;
	failure?: unknown;
	isPending?: boolean;
}

export function AddMany({ session, job, setJob }: AddManyProps) {
	const [{ file, failure, isPending = false }, setChosen] = useState<Chosen>({});
	/** Kept after a check, so that pasted rows can be corrected. */
	const [text, setText] = useState("");
	if (!may(session, "pets:write")) return <MissingScope title="This key may not add animals" scope="pets:write" />;

	/** Counts the files and sheets that were chosen, so that only the latest is shown. */
	const turn = useRef(0);

	async function open(blob: Blob, name: string, sheet?: string): Promise<void> {
		const own = ++turn.current;
		setChosen((now) => ({ ...now, isPending: true }));
		const next = await read(blob, name, sheet);
		if (own === turn.current) setChosen(next);
	}
	/** What is still being read is not shown either. */
	function leave(): void {
		turn.current++;
		setChosen({});
	}
	async function read(blob: Blob, name: string, sheet?: string): Promise<Chosen> {
		try {
			const { source, kind, names } = await readTable(blob, sheet);
			const preview = await previewRows(source, kind, previewed);
			const sheets = names && { names, open: (other: string) => void open(blob, name, other) };
			return { file: { name, source, kind, preview, ...(sheets && { sheets }) } };
		} catch (failure) {
			return { failure };
		}
	}

	if (job) return <JobProgress job={job} session={session} onEnd={() => setJob(undefined)} />;
	if (file)
		return (
			<AddFile
				key={`${file.name} ${file.kind.sheet}`}
				file={file}
				onBack={leave}
				onStart={(started) => {
					leave();
					setJob(started);
					started.run(session);
				}}
			/>
		);
	const note = isPending ? "Reading the file …" : failure === undefined ? undefined : describe(failure);
	return <ChooseFile text={text} setText={setText} onChoose={open} note={note} />;
}

/** The reader of workbooks is loaded for the first one. */
async function readTable(blob: Blob, sheet: string | undefined) {
	if (isArchive(new Uint8Array(await blob.slice(0, 4).arrayBuffer()))) {
		const { readWorkbook } = await import("../../src/files/workbook.ts");
		const { source, kind, sheets } = await readWorkbook(blob, sheet);
		return { source, kind, names: sheets };
	}
	const source = blobSource(blob);
	return { source, kind: await detectKind(source), names: undefined };
}
