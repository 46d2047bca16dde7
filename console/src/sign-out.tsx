// Asks before signing out while an import is running or paused, in this tab or another: its rows are there only.

import { useLayoutEffect, useRef } from "preact/hooks";
import type { Job } from "./add-rows.ts";
import { countOf, digits } from "./notes.tsx";
import { useJob } from "./use-job.ts";

interface SignOutProps {
	/** The import of this tab. */
	job: Job | undefined;
	signOut(): void;
	onClose(): void;
}

export function SignOut({ job, signOut, onClose }: SignOutProps) {
	const dialog = useRef<HTMLDialogElement>(null);
	useLayoutEffect(() => dialog.current?.showModal(), []);
	return (
		<dialog
			class="ask"
			role="alertdialog"
			aria-labelledby="ask-heading"
			aria-describedby="ask-text"
			ref={dialog}
			onClose={onClose}
		>
			<h2 id="ask-heading">Sign out and end the import?</h2>
			<p id="ask-text">{job ? <Rest job={job} /> : "Another tab is adding animals. Signing out ends that, too."}</p>
			<div class="actions">
				<button type="button" onClick={() => dialog.current?.close()}>
					Stay signed in
				</button>
				<button type="button" class="danger" onClick={signOut}>
					Sign out
				</button>
			</div>
		</dialog>
	);
}

function Rest({ job }: { job: Job }) {
	const { left } = useJob(job);
	return (
		<>
			{digits.format(left)} of {countOf(job.total)} in <span class="file">{job.file.name}</span>{" "}
			{left === 1 ? "is" : "are"} not added yet. Signing out ends the import and removes the file from this page.
		</>
	);
}
