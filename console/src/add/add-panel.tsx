// The panel that adds animals one after the other. Each problem is shown at its field. Closing the panel keeps the
// entries.

import "../edit/panel.css";
import type { ComponentChildren, JSX } from "preact";
import { useContext, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { FindReply } from "../../../src/contract/console.ts";
import { comparedName } from "../../../src/contract/equal-texts.ts";
import type { Pet } from "../../../src/contract/pet.ts";
import type { Fault } from "../../../src/contract/validate.ts";
import { CategoriesContext } from "../categories/categories.ts";
import { type Choice, categoryIdOf } from "../categories/category-choices.ts";
import { CategoryField } from "../categories/category-field.tsx";
import { KeyButton } from "../parts/button.tsx";
import { Form, Select } from "../parts/fields.tsx";
import { FailureNote, Waiting } from "../parts/notes.tsx";
import { firstAnimals, hashOf, petStatuses } from "../parts/route.ts";
import { labels, sentenceOf } from "../parts/sentences.ts";
import { useRequest } from "../parts/use-request.ts";
import { may, type Session } from "../session/session.ts";
import type { Adding, Field } from "./add-form.ts";
import { add, adviceOn, titleOf } from "./adding.ts";

interface AddPanelProps {
	session: Session;
	adding: Adding;
	setAdding(next: Adding | ((before: Adding) => Adding)): void;
	onAdded(): void;
	onClose(): void;
}

export function AddPanel({ session, adding, setAdding, onAdded, onClose }: AddPanelProps) {
	const { entries, isPending, faults, failure, added } = adding;
	const categories = useContext(CategoriesContext);
	const isSending = useRef(false);
	useLayoutEffect(() => focusField("name"), []);
	useLayoutEffect(() => {
		const wrong = fields.find((field) => faults.some((each) => each.field === field));
		if (wrong) focusField(wrong);
	}, [faults]);

	async function submit(form: HTMLFormElement): Promise<void> {
		// The last render may be out of date: the form may have newer entries, or the button was pressed twice.
		if (isPending || isSending.current) return;
		isSending.current = true;
		const entered = { ...adding, entries: entriesOf(form) };
		const pet = await add(session, entered, categories.all, setAdding);
		isSending.current = false;
		if (!pet) return;
		focusField("name");
		onAdded();
	}
	const enter = (field: Field) => (value: string) =>
		setAdding((before) => ({ ...before, entries: { ...before.entries, [field]: value } }));
	const mayName = may(session, "pets:edit");
	const shared = (field: Field) => ({ field, value: entries[field], enter: enter(field), faults, isPending, mayName });

	return (
		<aside class="panel" aria-labelledby="add-heading" tabIndex={-1}>
			<div class="line head">
				<h2 id="add-heading">Add animal</h2>
				<KeyButton keys="Esc" meaning="close" class="close" onClick={onClose} />
			</div>
			{failure !== undefined && (
				<FailureNote title={titleOf(adding)} failure={failure}>
					<p>{adviceOn(adding)}</p>
				</FailureNote>
			)}
			<Form class="stack" noValidate onSubmit={submit}>
				{fields.map((field) => {
					const FieldEntry = entryOf[field];
					return <FieldEntry key={field} {...shared(field)} />;
				})}
				<button type="submit" class="primary" aria-disabled={isPending}>
					Add
				</button>
				<Waiting isPending={isPending} />
			</Form>
			<div role="status">
				{added && (
					<p class="added">
						Added <strong dir="auto">{added.name.length > 40 ? `${added.name.slice(0, 40)}…` : added.name}</strong> with
						the id <span class="num">{String(added.id)}</span>. Ready for the next one.
					</p>
				)}
				{added && may(session, "pets:read") && <SameName key={String(added.id)} session={session} pet={added} />}
			</div>
			<p class="soft">Enter adds the animal. Esc closes the form and keeps what you entered.</p>
		</aside>
	);
}

/** Says that other animals have the same name: the animal may have been added twice. */
function SameName({ session, pet: { id, name } }: { session: Session; pet: Pet }) {
	const query = new URLSearchParams({ name: name.trim(), limit: "100" });
	const { value } = useRequest((signal) => session.ask<FindReply>(`/console/find?${query}`, { signal }), [session]);
	const isSame = (other: Pet) => String(other.id) !== String(id) && comparedName(other.name) === comparedName(name);
	const count = value?.pets.filter(isSame).length ?? 0;
	if (count === 0) return null;
	// Only the first 100 animals whose names contain this name are read, so further animals may have the same name.
	const several = value?.next ? "Other" : `${count} other`;
	return (
		<p class="soft">
			{count === 1 && !value?.next ? "Another animal has" : `${several} animals have`} this name:{" "}
			<a href={hashOf({ ...firstAnimals(), name: name.trim() })}>show</a>
		</p>
	);
}

interface EntryProps {
	field: Field;
	value: string;
	enter(value: string): void;
	faults: readonly Fault[];
	isPending: boolean;
	/** Whether the user may create categories. */
	mayName: boolean;
}

/** The attributes that both text inputs share. */
function attributesOf({ field, faults, isPending }: EntryProps) {
	const id = elementIdOf(field);
	const isInvalid = faults.some((each) => each.field === field);
	const aria = {
		"aria-required": "true",
		"aria-invalid": isInvalid,
		"aria-describedby": `${id}-problem ${id}-hint`,
	} as const;
	return { id, name: field, readOnly: isPending, ...aria };
}

function Labelled({ field, faults, hint, children }: EntryProps & { hint?: string; children: ComponentChildren }) {
	const id = elementIdOf(field);
	return (
		<div class="entry">
			<label for={id}>{labels[field]}</label>
			{children}
			<p id={`${id}-problem`} class="problem">
				{faults.find((each) => each.field === field)?.problem}
			</p>
			<p id={`${id}-hint`} class="soft">
				{hint}
			</p>
		</div>
	);
}

function Entry(props: EntryProps) {
	return (
		<Labelled {...props}>
			<input
				{...attributesOf(props)}
				value={props.value}
				onInput={(event) => props.enter(event.currentTarget.value)}
				dir="auto"
				autocomplete="off"
			/>
		</Labelled>
	);
}

/** The category's field. A number is used unchanged; choosing a new name creates a category immediately. */
function CategoryEntry(props: EntryProps) {
	const { value, enter, mayName } = props;
	const categories = useContext(CategoriesContext);
	const [isOpen, setIsOpen] = useState(false);
	const [problem, setProblem] = useState("");
	const isSettled = /^\s*(-?\d*)\s*$/.test(value) || categoryIdOf(categories.all, value) !== undefined;
	async function choose({ id, name }: Choice): Promise<void> {
		setProblem("");
		setIsOpen(false);
		enter(name ?? String(id));
		if (id !== undefined || name === undefined) return;
		await categories.name(name).catch((failure) => setProblem(sentenceOf(failure)));
	}
	return (
		<Labelled {...props} hint={problem || "a name or a number, exact up to 19 digits"}>
			<div onFocusOut={() => setIsOpen(false)}>
				<CategoryField
					text={value}
					enter={(text) => {
						enter(text);
						setIsOpen(text.trim() !== "");
					}}
					mayName={mayName}
					isOpen={isOpen}
					close={() => setIsOpen(false)}
					isSettled={isSettled}
					onChoose={choose}
					attributes={attributesOf(props)}
				/>
			</div>
		</Labelled>
	);
}

function StatusChoice({ value, isPending, enter }: EntryProps) {
	return (
		<div class="entry">
			<label for="add-status">Status</label>
			<Select
				id="add-status"
				name="status"
				choices={[["", "not set"], ...petStatuses.map((status) => [status] as const)]}
				value={value}
				disabled={isPending}
				onChange={enter}
			/>
		</div>
	);
}

const entryOf: Record<Field, (props: EntryProps) => JSX.Element> = {
	name: Entry,
	categoryId: CategoryEntry,
	status: StatusChoice,
};
const fields = Object.keys(entryOf) as Field[];

function entriesOf(form: HTMLFormElement): Adding["entries"] {
	const entries = new FormData(form);
	const text = (field: Field) => String(entries.get(field) ?? "");
	return Object.fromEntries(fields.map((field) => [field, text(field)])) as Adding["entries"];
}

const elementIdOf = (field: Field) => `add-${field}`;

function focusField(field: Field): void {
	document.getElementById(elementIdOf(field))?.focus();
}
