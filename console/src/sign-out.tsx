// Asks before signing out while an import is running or paused: its rows are in this page only.

import { useLayoutEffect, useRef } from "preact/hooks";
import type { Job } from "./add-rows.ts";
import { countOf, digits } from "./notes.tsx";
import { useJob } from "./use-job.ts";

interface SignOutProps {
	job: Job;
	signOut(): void;
	onClose(): void;
}

export function SignOut({ job, signOut, onClose }: SignOutProps) {
	const { left } = useJob(job);
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
			<p id="ask-text">
				{digits.format(left)} of {countOf(job.total)} in <span class="file">{job.file.name}</span>{" "}
				{left === 1 ? "is" : "are"} not added yet. Signing out ends the import and removes the file from this page.
			</p>
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
