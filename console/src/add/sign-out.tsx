// Asks before a sign-out ends an import.

import { Question } from "../parts/question.tsx";
import { countOf, digits } from "../parts/sentences.ts";
import type { Job } from "./add-rows.ts";
import { useJob } from "./kept.ts";

interface SignOutProps {
	job: Job;
	signOut(): void;
	onClose(): void;
}

/** Asks before signing out while an import is running or paused: its remaining rows would not be added. */
export function SignOut({ job, signOut, onClose }: SignOutProps) {
	const { left } = useJob(job);
	return (
		<Question title="Sign out and end the import?" no="Stay signed in" yes="Sign out" onYes={signOut} onClose={onClose}>
			{digits.format(left)} of {countOf(job.total)} in <span class="file">{job.file.name}</span>{" "}
			{left === 1 ? "is" : "are"} not added yet. Signing out ends the import and removes the file from this page.
		</Question>
	);
}
