// Steps 2 to 4 of adding a file: its columns, the meanings of its values, and the rows to correct. Going back keeps the
// choices. Nothing is sent before the last step ends.

import { useContext, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { newPetFields } from "../../../src/contract/pet.ts";
import { columnsByValues, findColumns, type Mapping } from "../../../src/files/columns.ts";
import { describeKind } from "../../../src/files/formats.ts";
import { type Preview, previewRows } from "../../../src/files/rows.ts";
import { CategoriesContext } from "../categories/categories.ts";
import { Problem } from "../parts/notes.tsx";
import { countOf } from "../parts/sentences.ts";
import { may, type Session } from "../session/session.ts";
import type { Job } from "./add-rows.ts";
import { type Checked, checkRows } from "./check-rows.ts";
import { type CheckedProps, CheckStep } from "./check-step.tsx";
import { LostLetters, useCorrections } from "./corrections.tsx";
import { useKept } from "./kept.ts";
import { type Answers, describeFiner, Questions, questionsOf, readingOf } from "./list-questions.tsx";
import { ColumnsTable, openFields, SheetMenu } from "./map-columns.tsx";
import { MakeAll, type MappedValue, MapValues, toValues, withProposals } from "./map-values.tsx";
import { describe, type OpenFile, previewed } from "./open-file.ts";
import type { PetFile } from "./open-rows.ts";
import { Step } from "./steps.tsx";

interface AddFileProps {
	file: OpenFile;
	session: Session;
	onBack(): void;
	onStart(job: Job): void;
}

export function AddFile({ file, session, onBack, onStart }: AddFileProps) {
	const { name, source, kind } = file;
	const [step, setStep] = useKept<"Columns" | "Values" | "Check">(file, "step", () => "Columns");
	const [preview, setPreview] = useKept(file, "preview", () => file.preview);
	const [mapping, setMapping] = useKept<Mapping>(file, "mapping", () => guessed(preview));
	const [mapped, setMapped] = useKept<MappedValue[]>(file, "mapped", () => []);
	const { categories, isRead, failure: unread } = useNames();
	const [wanted] = useKept(file, "wanted", () => ({ row: preview.headerRow }));
	const [answers, setAnswers] = useKept<Answers>(file, "answers", () => ({}));
	const { headerRow } = preview;
	const reading = useMemo(
		() => readingOf(preview, mapping, answers, kind.sheet ?? name.replace(/\.\w+$/, "")),
		[preview, mapping, answers],
	);
	const petFile: PetFile = useMemo(() => {
		const { id, fallback } = reading;
		return { name, source, kind, id, options: { mapping, values: toValues(mapped, categories), headerRow, fallback } };
	}, [file, reading, mapped, categories]);
	const { checked, failure: broken } = useCheck(file, petFile);
	const found = checked?.values ?? [];
	/** True if the names of all categories are known, or if the check of the file needs no names of categories. */
	const hasNames = isRead || !found.some(({ field }) => field === "categoryId");
	const failure = broken ?? (hasNames ? undefined : unread);
	const correcting = useCorrections(file, petFile.options);
	const words = hasNames ? withProposals(mapped, found) : mapped;
	const questions = questionsOf(preview, answers, reading, checked);
	const finer = describeFiner(preview, mapping);
	const open = questions.filter(({ value }) => value === undefined).length;
	const isClear = openFields(preview, mapping).size === 0 && open === 0;
	const isChecked = checked?.isComplete === true && isClear && hasNames && words.length === mapped.length;
	useLayoutEffect(() => {
		if (words.length > mapped.length) setMapped(words);
	}, [checked]);

	function map(next: Mapping): void {
		setMapping(next);
		setMapped([]);
		const { category } = answers; // The other answers depend on the columns.
		setAnswers(category === undefined ? {} : { category });
		correcting.clear();
	}
	function answer(field: keyof Answers, value: string): void {
		setAnswers({ ...answers, [field]: value });
		setMapped([]); // The new answer may leave out all rows with a value.
	}
	async function setHeaderRow(row: number): Promise<void> {
		if (row === wanted.row) return;
		wanted.row = row;
		// A failure is not shown here: the check of the whole file reports it.
		const read = await previewRows(source, kind, previewed, { headerRow: row }).catch(() => undefined);
		if (!read || wanted.row !== row) return;
		setPreview(read);
		map(guessed(read));
	}
	const chosen = { session, categories, mapped, isChecked, correcting };
	const shared = checked && { ...chosen, file: petFile, checked };
	const hasWords = mapped.length > 0 || (checked?.damagedCount ?? 0) > 0;
	if (step === "Values" && shared)
		return (
			<ValuesStep {...shared} setMapped={setMapped} onBack={() => setStep("Columns")} onNext={() => setStep("Check")} />
		);
	if (step === "Check" && shared)
		return <CheckStep {...shared} onBack={() => setStep(hasWords ? "Values" : "Columns")} onStart={onStart} />;
	return (
		<Step
			key="columns"
			name="Columns"
			lead={<ColumnsLead file={file} isTable={headerRow !== undefined} />}
			note={<ColumnsNote file={file} checked={checked} failure={failure} open={open} />}
			onBack={onBack}
			next={{
				label: "Continue",
				isReady: isChecked && checked.good + checked.bad > 0,
				run: () => setStep(hasWords ? "Values" : "Check"),
			}}
		>
			<ColumnsTable preview={preview} setHeaderRow={setHeaderRow} mapping={mapping} setMapping={map} />
			{finer && <p class="soft">{finer}</p>}
			<Questions questions={questions} answer={answer} />
		</Step>
	);
}

/** `categories` is a new array only after an id or a name has changed: for a new array, the file is checked again. */
function useNames() {
	const { all, isRead, failure } = useContext(CategoriesContext);
	const known = all.map(({ id, name }) => `${id} ${name}`).join("\n");
	return { categories: useMemo(() => all, [known, isRead]), isRead, failure };
}

function ColumnsLead({ file: { kind, sheets }, isTable }: { file: OpenFile; isTable: boolean }) {
	return (
		<>
			<p class="soft">
				{isTable && "Click the row that holds the column names; if none does, click the marked row's number. Then "}
				{isTable ? "say" : "Say"} what each column is.
			</p>
			{sheets && sheets.names.length > 1 && <SheetMenu sheet={kind.sheet} sheets={sheets} />}
		</>
	);
}

interface ColumnsNoteProps {
	file: OpenFile;
	checked: Checked | undefined;
	failure: unknown;
	/** The number of open questions. */
	open: number;
}

function ColumnsNote({ file, checked, failure, open }: ColumnsNoteProps) {
	const rows = (checked?.good ?? 0) + (checked?.bad ?? 0);
	return (
		<>
			<p>
				<strong class="file">{file.name}</strong>, {describeKind(file.kind)}
			</p>
			{failure === undefined ? (
				<p role="status">
					{checked?.isComplete ? `${countOf(rows)} below the names` : "Checking …"}
					{open > 0 && `, ${open === 1 ? "1 question is" : `${open} questions are`} open`}
				</p>
			) : (
				<Problem>{describe(failure)}</Problem>
			)}
		</>
	);
}

interface ValuesStepProps extends CheckedProps {
	setMapped(mapped: MappedValue[]): void;
	onNext(): void;
}

function ValuesStep({ setMapped, onNext, ...shared }: ValuesStepProps) {
	const { session, categories, mapped, checked, isChecked, correcting, onBack } = shared;
	const mayMake = may(session, "pets:edit");
	const open = mapped.filter(({ meaning }) => meaning === undefined).length;
	const clear = mapped.length - open;
	const isBroken = checked.damaged.some((row) => row.pet && !correcting.now(row).pet);
	return (
		<Step
			key="values"
			name="Values"
			lead={
				mapped.length > 0 && (
					<>
						<p class="soft">Your list uses other words. Say once what each one means.</p>
						{mayMake && <MakeAll mapped={mapped} setMapped={setMapped} />}
					</>
				)
			}
			note={
				mapped.length > 0 && (
					<p role="status" class="num">
						{clear} of {mapped.length === 1 ? "1 value is" : `${mapped.length} values are`} clear
						{open > 0 && `, ${open} ${open === 1 ? "needs" : "need"} a choice`}
					</p>
				)
			}
			onBack={onBack}
			next={{ label: "Continue", isReady: isChecked && open === 0 && !isBroken, run: onNext }}
		>
			<MapValues mapped={mapped} setMapped={setMapped} categories={categories} mayMake={may(session, "pets:edit")} />
			{checked.damagedCount > 0 && (
				<LostLetters rows={checked.damaged} count={checked.damagedCount} correcting={correcting} />
			)}
		</Step>
	);
}

/** Proposes the column that matches each field. If several columns match a field, the user chooses. */
function guessed(preview: Preview): Mapping {
	const { columns, headerRow, sample } = preview;
	const found = findColumns(columns, {}, sample);
	const { at, ambiguous, missing } = found;
	const { categoryId: kind } = missing.includes("name") ? {} : columnsByValues([], sample, found);
	// JSON has no heading. A field that the first objects lack is not excluded, because later objects may have it.
	const clear = newPetFields.filter(
		(field) => !ambiguous.includes(field) && (headerRow !== undefined || at[field] !== -1),
	);
	const guess = Object.fromEntries(clear.map((field) => [field, at[field] === -1 ? null : at[field]]));
	return typeof kind === "number" ? { ...guess, categoryId: kind } : guess;
}

function useCheck(of: OpenFile, file: PetFile): { checked: Checked | undefined; failure: unknown } {
	const [checked, setChecked] = useKept<Checked | undefined>(of, "checked", () => undefined);
	const [failure, setFailure] = useState<unknown>();
	useLayoutEffect(() => {
		const leaving = new AbortController();
		setChecked(checked && { ...checked, values: [], isComplete: false });
		setFailure(undefined);
		const show = (next: Checked) => setChecked(next.isComplete ? next : { ...next, open: checked?.open });
		void checkRows(file, leaving.signal, show).catch((error) => !leaving.signal.aborted && setFailure(error));
		return () => leaving.abort();
	}, [file]);
	return { checked, failure };
}
