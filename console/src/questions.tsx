// Questions before an action that cannot be undone. The answer that changes nothing has the focus, so that pressing
// Enter is always safe.

import "./dialogs.css";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Pet } from "../../src/contract/pet.ts";
import type { Job } from "./add-rows.ts";
import { Button } from "./button.tsx";
import { listOf, shortName } from "./edits.ts";
import { useJob } from "./kept.ts";
import { countOf, digits } from "./sentences.ts";

interface QuestionProps {
	title: string;
	/** The answer that changes nothing. */
	no: string;
	yes: string;
	onYes(): void;
	onClose(): void;
	children: ComponentChildren;
}

function Question({ title, no, yes, onYes, onClose, children }: QuestionProps) {
	const dialog = useRef<HTMLDialogElement>(null);
	useLayoutEffect(() => dialog.current?.showModal(), []);
	const close = () => dialog.current?.close();
	function accept(): void {
		close();
		onYes();
	}
	return (
		<dialog
			class="ask"
			role="alertdialog"
			aria-labelledby="ask-heading"
			aria-describedby="ask-text"
			ref={dialog}
			onClose={onClose}
		>
			<h2 id="ask-heading">{title}</h2>
			<p id="ask-text">{children}</p>
			<div class="line wraps actions">
				<Button label={no} onClick={close} />
				<Button class="danger" label={yes} onClick={accept} />
			</div>
		</dialog>
	);
}

interface RemoveDialogProps {
	pets: readonly Pet[];
	onRemove(): void;
	onClose(): void;
}

const namesShown = 3;

/** Asks before animals are removed, and names them. */
export function RemoveDialog({ pets, onRemove, onClose }: RemoveDialogProps) {
	const names = pets.map(({ name }) => shortName(name));
	const isOne = names.length === 1;
	const what = isOne ? names[0] : countOf(names.length);
	const them = isOne ? "it" : "them";
	const more = names.length > namesShown ? [`${names.length - namesShown} more`] : [];
	const list = listOf([...names.slice(0, namesShown), ...more]);
	return (
		<Question title={`Remove ${what}?`} no={`Keep ${them}`} yes={`Remove ${what}`} onYes={onRemove} onClose={onClose}>
			{list} will be gone from the list, from searches and from every export. This cannot be undone. The history keeps
			who removed {them}, and when.
		</Question>
	);
}

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
