// Asks before signing out while an import is running or paused in any tab: its remaining rows would not be added.

import type { Job } from "./add-rows.ts";
import { countOf, digits } from "./notes.tsx";
import { Question } from "./question.tsx";
import { useJob } from "./use-job.ts";

interface SignOutProps {
	job: Job | undefined;
	signOut(): void;
	onClose(): void;
}

export function SignOut({ job, signOut, onClose }: SignOutProps) {
	return (
		<Question title="Sign out and end the import?" no="Stay signed in" yes="Sign out" onYes={signOut} onClose={onClose}>
			{job ? <Rest job={job} /> : "Another tab is adding animals. Signing out also ends that import."}
		</Question>
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
