// The view that adds many animals: a file is dropped or text pasted, its columns are matched, and its rows are added.

import "./add-many.css";
import { useState } from "preact/hooks";
import { blobSource, detectKind } from "../../src/files/formats.ts";
import { previewRows } from "../../src/files/rows.ts";
import type { Job } from "./add-rows.ts";
import { ChooseFile } from "./choose-file.tsx";
import { JobProgress } from "./job-progress.tsx";
import { MapColumns } from "./map-columns.tsx";
import { FailureNote, MissingScope, Waiting } from "./notes.tsx";
import { describe, type OpenFile, previewed } from "./open-file.ts";
import type { Session } from "./session.ts";
import { may } from "./use-watch.ts";

export interface AddManyProps {
	session: Session;
	/** It outlives the view and the session. */
	job: Job | undefined;
	setJob(job: Job | undefined): void;
}

export function AddMany({ session, job, setJob }: AddManyProps) {
	const [file, setFile] = useState<OpenFile>();
	const [failure, setFailure] = useState<unknown>();
	const [isPending, setIsPending] = useState(false);
	/** Kept after a check, so that pasted rows can be corrected. */
	const [text, setText] = useState("");
	if (!may(session, "pets:write")) return <MissingScope title="This key may not add animals" scope="pets:write" />;

	async function open(blob: Blob, name: string): Promise<void> {
		setFailure(undefined);
		setIsPending(true);
		try {
			const source = blobSource(blob);
			const kind = await detectKind(source);
			setFile({ name, source, kind, preview: await previewRows(source, kind, previewed) });
		} catch (error) {
			setFailure(error);
		}
		setIsPending(false);
	}

	if (job) return <JobProgress job={job} session={session} onEnd={() => setJob(undefined)} />;
	if (file)
		return (
			<MapColumns
				key={file.name}
				file={file}
				onBack={() => setFile(undefined)}
				onStart={(started) => {
					setFile(undefined);
					setJob(started);
					started.run(session);
				}}
			/>
		);
	return (
		<>
			{failure !== undefined && (
				<FailureNote title="This file cannot be read">
					<p>{describe(failure)}</p>
				</FailureNote>
			)}
			<ChooseFile text={text} setText={setText} onChoose={open} />
			<Waiting isPending={isPending} />
		</>
	);
}
