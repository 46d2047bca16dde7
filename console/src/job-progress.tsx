// The progress of adding the rows of a file: how far it is, pause and resume, and the rows that were rejected.

import { rejectedFormat } from "../../src/files/rejected-rows.ts";
import { type Job, shownMax } from "./add-rows.ts";
import { saveFile } from "./files.ts";
import { countOf, digits, FailureNote } from "./notes.tsx";
import { describe } from "./open-file.ts";
import { RejectedTable } from "./rejected-table.tsx";
import { firstAnimals, go } from "./route.ts";
import type { Session } from "./session.ts";
import { useJob } from "./use-job.ts";

interface JobProgressProps {
	job: Job;
	session: Session;
	onEnd(): void;
}

export function JobProgress({ job, session, onEnd }: JobProgressProps) {
	const { file, total } = job;
	const { phase, added, alreadyThere, differing, rejected, shown, undecided, failure, perSecond } = useJob(job);
	const { mapping = {} } = file.options;
	const done = added + alreadyThere;
	return (
		<>
			<p>
				<strong class="file">{file.name}</strong>{" "}
				<span class="soft" role="status">
					{{ running: "Adding …", paused: "Paused", finished: "Finished" }[phase]}
				</span>
			</p>
			<progress class="bar" max={Math.max(1, total)} value={done} aria-label="Animals added" />
			<p class="num">
				<strong>{digits.format(done)}</strong> of {countOf(total)} added
				{alreadyThere > 0 && `, ${digits.format(alreadyThere)} of them earlier`}
				{differing > 0 && `, ${digits.format(differing)} already there with other values (not changed)`}
				{rejected > 0 && `, ${digits.format(rejected)} rejected`}
				<span class="soft">{phase === "running" && perSecond > 0 && ` ${digits.format(perSecond)}/s`}</span>
			</p>
			{failure !== undefined && (
				<FailureNote title="Paused: nothing is lost" failure={failure}>
					<p>{describe(failure)} Resume continues with the other rows; none is added twice.</p>
				</FailureNote>
			)}
			{undecided.length > 0 && (
				<FailureNote title={`Not found: ${countOf(undecided.length)}`}>
					<p>Nothing is sent again before you decide.</p>
				</FailureNote>
			)}
			<Actions job={job} session={session} onEnd={onEnd} />
			{undecided.length > 0 && (
				<RejectedTable
					title="Not found"
					rejected={undecided.slice(0, shownMax)}
					count={undecided.length}
					mapping={mapping}
				/>
			)}
			{shown.length > 0 && <RejectedTable title="Rejected" rejected={shown} count={rejected} mapping={mapping} />}
		</>
	);
}

function Actions({ job, session, onEnd }: JobProgressProps) {
	const { phase, rejected, undecided } = job.state;
	return (
		<div class="actions">
			{phase === "running" && (
				<button type="button" onClick={() => job.pause()}>
					Pause
				</button>
			)}
			{phase === "paused" && undecided.length === 0 && (
				<button type="button" class="primary" onClick={() => job.run(session)}>
					Resume
				</button>
			)}
			{undecided.length > 0 && (
				<>
					<button type="button" class="primary" onClick={() => job.decide(true, session)}>
						Add {countOf(undecided.length)}
					</button>
					<button type="button" onClick={() => job.decide(false, session)}>
						Reject
					</button>
				</>
			)}
			{phase === "finished" && (
				<button type="button" class="primary" onClick={() => showNewest(session)}>
					Show the animals
				</button>
			)}
			{rejected > 0 && (
				<button type="button" onClick={() => saveRejected(job)}>
					Save the rejected rows
				</button>
			)}
			{phase !== "running" && (
				<button type="button" class="quiet" onClick={onEnd}>
					{phase === "finished" ? "Another file" : "Discard the rest"}
				</button>
			)}
		</div>
	);
}

/** Opens the page with the newest animals; the first page if that fails. */
async function showNewest({ store }: Session): Promise<void> {
	const { last } = await store.listPage({ limit: firstAnimals.limit }).catch(() => ({ last: undefined }));
	go({ ...firstAnimals, cursor: last });
}

function saveRejected({ file, rejectedText }: Job): void {
	saveFile(`${file.name}.rejected.${rejectedFormat(file.kind)}`, rejectedText());
}
