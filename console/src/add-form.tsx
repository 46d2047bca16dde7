// The form that adds an animal. Problems appear in a summary and at their fields, in the words of the service.

import type { TargetedSubmitEvent } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Pet } from "../../client/src/index.ts";
import { type Adding, add, adviceOn, type Field, type Problem } from "./adding.ts";
import { FailureNote, Waiting } from "./notes.tsx";
import { PetDetails } from "./pet-table.tsx";
import { petStatuses } from "./route.ts";
import type { Session } from "./session.ts";

interface AddFormProps {
	session: Session;
	adding: Adding;
	setAdding(next: Adding | ((before: Adding) => Adding)): void;
	onAdded(): void;
}

const labels: Record<Field, string> = { name: "Name", categoryId: "Category id", status: "Status" };

export function AddForm({ session, adding, setAdding, onAdded }: AddFormProps) {
	const { entries, isPending, problems, failure, unsettled, added } = adding;
	const summary = useRef<HTMLDivElement>(null);
	const isRefused = problems.length > 0 || failure !== undefined;
	const isSending = useRef(false);
	useLayoutEffect(() => {
		if (isRefused) summary.current?.focus();
	}, [problems, failure]);

	async function submit(event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> {
		event.preventDefault();
		// The last render may be out of date: the form has newer entries, and a second press may follow at once.
		if (isPending || isSending.current) return;
		isSending.current = true;
		const pet = await add(session, { ...adding, entries: entriesOf(event.currentTarget) }, setAdding);
		isSending.current = false;
		if (!pet) return;
		focusField("name");
		onAdded();
	}
	const enter = (field: Field) => (value: string) =>
		setAdding((before) => ({ ...before, entries: { ...before.entries, [field]: value } }));
	const shared = (field: Field) => ({ field, value: entries[field], enter: enter(field), problems, isPending });

	return (
		<section class="card" aria-labelledby="add-heading">
			<h2 id="add-heading">Add an animal</h2>
			{isRefused && (
				<FailureNote
					title={unsettled ? "The animal may have been added" : "The animal was not added"}
					failure={failure}
					noteRef={summary}
				>
					{problems.length > 0 ? <Summary problems={problems} /> : <p>{adviceOn(adding)}</p>}
				</FailureNote>
			)}
			<form method="post" noValidate onSubmit={submit}>
				<Entry {...shared("name")} />
				<Entry {...shared("categoryId")} hint="a whole number, exact up to 19 digits" />
				<label for="add-status">Status</label>
				<select
					id="add-status"
					name="status"
					value={entries.status}
					disabled={isPending}
					onChange={(event) => enter("status")(event.currentTarget.value)}
				>
					<option value="">not set</option>
					{petStatuses.map((status) => (
						<option key={status}>{status}</option>
					))}
				</select>
				<button type="submit" class="main" aria-disabled={isPending}>
					Add
				</button>
				<Waiting isPending={isPending} />
			</form>
			<div role="status">{added && <AddedNote pet={added} />}</div>
		</section>
	);
}

interface EntryProps {
	field: Field;
	value: string;
	enter(value: string): void;
	problems: Problem[];
	isPending: boolean;
	hint?: string;
}

function Entry({ field, value, enter, problems, isPending, hint }: EntryProps) {
	const id = idOf(field);
	const problem = problems.find((each) => each.field === field);
	return (
		<>
			<label for={id}>{labels[field]}</label>
			<input
				id={id}
				name={field}
				value={value}
				onInput={(event) => enter(event.currentTarget.value)}
				readOnly={isPending}
				dir="auto"
				autocomplete="off"
				inputMode={field === "categoryId" ? "numeric" : "text"}
				aria-required="true"
				aria-invalid={problem !== undefined}
				aria-describedby={`${id}-problem ${id}-hint`}
			/>
			<p id={`${id}-problem`} class="problem">
				{problem?.rule}
			</p>
			<p id={`${id}-hint`} class="quiet">
				{hint}
			</p>
		</>
	);
}

function Summary({ problems }: { problems: Problem[] }) {
	return (
		<ul>
			{problems.map(({ field, rule }) => (
				<li key={field}>
					{field && (
						<button type="button" class="link" onClick={() => focusField(field)}>
							{labels[field]}
						</button>
					)}{" "}
					{rule}
				</li>
			))}
		</ul>
	);
}

function AddedNote({ pet }: { pet: Pet }) {
	return (
		<div class="note success">
			<strong>Added</strong>
			<PetDetails pet={pet} />
		</div>
	);
}

function entriesOf(form: HTMLFormElement): Adding["entries"] {
	const entries = new FormData(form);
	const text = (field: Field) => String(entries.get(field) ?? "");
	return { name: text("name"), categoryId: text("categoryId"), status: text("status") };
}

const idOf = (field: Field) => `add-${field}`;

export function focusField(field: Field): void {
	document.getElementById(idOf(field))?.focus();
}
