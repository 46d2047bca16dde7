// The progress of adding the rows of a file, with pause and resume, and the rows that were rejected.

import { useContext, useEffect, useState } from "preact/hooks";
import { ImportFailure } from "../../../src/files/import-request.ts";
import { CategoriesContext } from "../categories/categories.ts";
import { Button } from "../parts/button.tsx";
import { FailureNote } from "../parts/notes.tsx";
import { firstAnimals, go } from "../parts/route.ts";
import { capitalized, countOf, digits } from "../parts/sentences.ts";
import type { Session } from "../session/session.ts";
import type { Job, JobState } from "./add-rows.ts";
import { useJob } from "./kept.ts";
import { describe } from "./open-file.ts";
import { RowsTable, SaveRows } from "./rows-table.tsx";
import { StepList } from "./steps.tsx";

interface JobProgressProps {
	job: Job;
	session: Session;
	onEnd(): void;
	onAgain(job: Job): void;
}

export function JobProgress({ job, session, onEnd, onAgain }: JobProgressProps) {
	const { file, total } = job;
	const state = useJob(job);
	const { phase, added, alreadyThere, earlier, rejected, shown, left, failure, perSecond } = state;
	const isQuiet = useQuiet(state);
	const done = added + alreadyThere;
	return (
		<div class="step-frame">
			<StepList at={4} />
			<p class="soft">
				<strong class="file">{file.name}</strong>{" "}
				<span role="status">{{ running: "Adding …", paused: "Paused", finished: "Finished" }[phase]}</span>
			</p>
			<h2 class="num">
				{digits.format(added)} of {countOf(total)} added
				{alreadyThere > 0 && `, ${digits.format(alreadyThere)} already there`}
				{rejected > 0 && `, ${digits.format(rejected)} left out`}
			</h2>
			<progress max={Math.max(1, total)} value={done} aria-label="Animals added" />
			{phase === "running" && (
				<p class="soft num">{isQuiet ? "The server does not answer. Still trying …" : timeLeft(left, perSecond)}</p>
			)}
			{failure !== undefined && (
				<FailureNote title={isExpired(failure) ? "Stopped" : "Paused: nothing is lost"} failure={failure}>
					<p>
						{describe(failure)} {!isExpired(failure) && "Resume continues with the other rows; none is added twice."}
					</p>
				</FailureNote>
			)}
			{earlier && <p>{capitalized(earlier)}: nothing was added twice.</p>}
			<Actions job={job} session={session} onEnd={onEnd} onAgain={onAgain} />
			{shown.length > 0 && <RowsTable title="Left out" rejected={shown} count={rejected} />}
		</div>
	);
}

const isExpired = (failure: unknown) => failure instanceof ImportFailure && failure.kind === "expired";

const quietAfterMs = 4_000;

/** Whether no batch was answered for some seconds, so that the remaining time is unknown. */
function useQuiet(state: JobState): boolean {
	const [isQuiet, setIsQuiet] = useState(false);
	useEffect(() => {
		setIsQuiet(false);
		const timer = setTimeout(setIsQuiet, quietAfterMs, true);
		return () => clearTimeout(timer);
	}, [state]);
	return isQuiet;
}

/** The remaining time; empty until the pace is known. */
function timeLeft(rows: number, perSecond: number): string {
	if (perSecond === 0) return "";
	const seconds = Math.ceil(rows / perSecond);
	return seconds < 100 ? `About ${seconds} s left.` : `About ${Math.round(seconds / 60)} minutes left.`;
}

function Actions({ job, session, onEnd, onAgain }: JobProgressProps) {
	const { reload } = useContext(CategoriesContext);
	const { phase, failure, added, rejected, alreadyThere } = job.state;
	function show(): void {
		reload();
		go({ ...firstAnimals(), sort: undefined });
	}
	return (
		<div class="line wraps actions">
			{phase === "running" && <Button label="Pause" onClick={() => job.pause()} />}
			{phase === "paused" && !isExpired(failure) && (
				<Button class="primary" label="Resume" onClick={() => job.run(session.sender)} />
			)}
			{phase === "finished" && added > 0 && <Button class="primary" label="Show the new animals" onClick={show} />}
			{phase === "finished" && alreadyThere > 0 && (
				<Button label={`Add ${countOf(alreadyThere)} again`} onClick={() => onAgain(job.again())} />
			)}
			{rejected > 0 && <SaveRows file={job.file} count={rejected} texts={job.rejectedText} />}
			{phase !== "running" && (
				<Button class="quiet" label={phase === "finished" ? "Add another list" : "Discard the rest"} onClick={onEnd} />
			)}
		</div>
	);
}
