// The drawer that adds animals one after the other. Problems appear in a summary and at their fields. Closing it keeps
// what was entered.

import "./panel.css";
import type { JSX, TargetedSubmitEvent } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Fault } from "../../src/contract/validate.ts";
import type { Adding, Field } from "./add-form.ts";
import { add, adviceOn, titleOf } from "./adding.ts";
import { FailureNote, Waiting } from "./notes.tsx";
import { petStatuses } from "./route.ts";
import type { Session } from "./session.ts";

interface AddPanelProps {
	session: Session;
	adding: Adding;
	setAdding(next: Adding | ((before: Adding) => Adding)): void;
	onAdded(): void;
	onClose(): void;
}

const labels: Record<Field, string> = { name: "Name", categoryId: "Category id", status: "Status" };

export function AddPanel({ session, adding, setAdding, onAdded, onClose }: AddPanelProps) {
	const { entries, isPending, faults, failure, added } = adding;
	const summary = useRef<HTMLDivElement>(null);
	const isRefused = faults.length > 0 || failure !== undefined;
	const isSending = useRef(false);
	useLayoutEffect(() => focusField("name"), []);
	useLayoutEffect(() => {
		if (isRefused) summary.current?.focus();
	}, [faults, failure]);

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
	const shared = (field: Field) => ({ field, value: entries[field], enter: enter(field), faults, isPending });

	return (
		<aside class="panel" aria-labelledby="add-heading" tabIndex={-1}>
			<div class="head">
				<h2 id="add-heading">Add animal</h2>
				<button type="button" class="quiet close" onClick={onClose}>
					<kbd>Esc</kbd> <span class="hidden">close</span>
				</button>
			</div>
			{isRefused && (
				<FailureNote title={titleOf(adding)} failure={failure} noteRef={summary}>
					{faults.length > 0 ? <Summary faults={faults} /> : <p>{adviceOn(adding)}</p>}
				</FailureNote>
			)}
			<form method="post" noValidate onSubmit={submit}>
				{fields.map((field) => {
					const FieldEntry = entryOf[field];
					return <FieldEntry key={field} {...shared(field)} />;
				})}
				<button type="submit" class="primary" aria-disabled={isPending}>
					Add
				</button>
				<Waiting isPending={isPending} />
			</form>
			<div role="status">
				{added && (
					<p class="added">
						Added <strong dir="auto">{added.name.length > 40 ? `${added.name.slice(0, 40)}…` : added.name}</strong> with
						the id <span class="num">{String(added.id)}</span>. Ready for the next one.
					</p>
				)}
			</div>
			<p class="soft">Enter adds and stays for the next one. Esc closes and keeps what you entered.</p>
		</aside>
	);
}

interface EntryProps {
	field: Field;
	value: string;
	enter(value: string): void;
	faults: readonly Fault[];
	isPending: boolean;
	hint?: string;
}

function Entry({ field, value, enter, faults, isPending, hint }: EntryProps) {
	const id = elementIdOf(field);
	const fault = faults.find((each) => each.field === field);
	return (
		<div class="entry">
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
				aria-invalid={fault !== undefined}
				aria-describedby={`${id}-problem ${id}-hint`}
			/>
			<p id={`${id}-problem`} class="problem">
				{fault?.problem}
			</p>
			<p id={`${id}-hint`} class="soft">
				{hint}
			</p>
		</div>
	);
}

function CategoryEntry(props: EntryProps) {
	return <Entry {...props} hint="a whole number, exact up to 19 digits" />;
}

function StatusChoice({ value, isPending, enter }: EntryProps) {
	return (
		<div class="entry">
			<label for="add-status">Status</label>
			<select
				id="add-status"
				name="status"
				value={value}
				disabled={isPending}
				onChange={(event) => enter(event.currentTarget.value)}
			>
				<option value="">not set</option>
				{petStatuses.map((status) => (
					<option key={status}>{status}</option>
				))}
			</select>
		</div>
	);
}

const entryOf: Record<Field, (props: EntryProps) => JSX.Element> = {
	name: Entry,
	categoryId: CategoryEntry,
	status: StatusChoice,
};
const fields = Object.keys(entryOf) as Field[];

function Summary({ faults }: { faults: readonly Fault[] }) {
	return (
		<ul>
			{fields.map((field) => {
				const fault = faults.find((each) => each.field === field);
				return (
					fault && (
						<li key={field}>
							<button type="button" class="link" onClick={() => focusField(field)}>
								{fault.problem}
							</button>
						</li>
					)
				);
			})}
		</ul>
	);
}

function entriesOf(form: HTMLFormElement): Adding["entries"] {
	const entries = new FormData(form);
	const text = (field: Field) => String(entries.get(field) ?? "");
	return Object.fromEntries(fields.map((field) => [field, text(field)])) as Adding["entries"];
}

const elementIdOf = (field: Field) => `add-${field}`;

function focusField(field: Field): void {
	document.getElementById(elementIdOf(field))?.focus();
}
