// An animal's edits from the audit log, newest first: the change, the editor and the time. The log has no animal names.

import { useContext } from "preact/hooks";
import type { PastEdit } from "../../../src/contract/console.ts";
import type { Pet } from "../../../src/contract/pet.ts";
import { CategoriesContext } from "../categories/categories.ts";
import { FailureNote } from "../parts/notes.tsx";
import { moment } from "../parts/sentences.ts";
import { useRequest } from "../parts/use-request.ts";
import type { Session } from "../session/session.ts";
import { describeEdit } from "./edits.ts";

interface HistoryProps {
	session: Session;
	pet: Pet;
	/** The history is read again when this value changes. */
	replies: number;
}

export function History({ session, pet, replies }: HistoryProps) {
	const { value, failure, reload } = useRequest(
		(signal) => session.ask<{ edits: PastEdit[] }>(`/console/history?id=${pet.id}`, { signal }),
		[session, String(pet.id), replies],
	);
	const { labelOf } = useContext(CategoriesContext);
	const edits = value?.edits;
	return (
		<section class="history" aria-label="History">
			<h3>History</h3>
			{failure !== undefined && <FailureNote title="The history cannot be shown" failure={failure} onRetry={reload} />}
			{edits?.length === 0 && <p class="soft">Not edited since it was added.</p>}
			<ol class="stack">
				{edits?.map((edit) => (
					<li key={String(edit.id)} class={edit.action === "set-status" ? (edit.toStatus ?? "none") : ""}>
						{describeEdit(edit, labelOf)} by {edit.editor}
						<p class="soft num">{moment.format(edit.atMs)}</p>
					</li>
				))}
			</ol>
		</section>
	);
}
