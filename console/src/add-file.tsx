// Steps 2 to 4 of adding many: the columns of a file, the meanings of its values, and the rows to correct. Going back
// keeps the choices, and nothing is sent before the last step ends.

import { useContext, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ApiError } from "../../client/src/index.ts";
import type { Category } from "../../src/contract/console.ts";
import { newPetFields } from "../../src/contract/pet.ts";
import { makeCategories, numbersOf } from "../../src/files/categories.ts";
import { findColumns, type Mapping } from "../../src/files/columns.ts";
import { describeKind } from "../../src/files/formats.ts";
import { type Preview, previewRows, type ReadOptions } from "../../src/files/rows.ts";
import { createJob, type Job } from "./add-rows.ts";
import { CategoriesContext } from "./categories.ts";
import { type Checked, checkRows, rejectedTexts } from "./check-rows.ts";
import { type Correcting, LostLetters, useCorrections } from "./corrections.tsx";
import { useKept } from "./kept.ts";
import { ColumnsTable, columnAt, openFields, SheetMenu } from "./map-columns.tsx";
import { MakeAll, type MappedValue, MapValues, newNames, toValues, withProposals } from "./map-values.tsx";
import { Problem } from "./notes.tsx";
import { describe, type OpenFile, previewed } from "./open-file.ts";
import type { PetFile } from "./open-rows.ts";
import { RowsTable, SaveRows } from "./rows-table.tsx";
import { countOf, digits, sentenceOf } from "./sentences.ts";
import { may, type Session } from "./session.ts";
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
	const { all: categories, isRead, failure: unread } = useContext(CategoriesContext);
	const [wanted] = useKept(file, "wanted", () => ({ row: preview.headerRow }));
	const { headerRow } = preview;
	const petFile: PetFile = useMemo(
		() => ({ name, source, kind, options: { mapping, values: toValues(mapped, categories), headerRow } }),
		[file, mapping, mapped, categories, headerRow],
	);
	const { checked, failure: broken } = useCheck(file, petFile);
	const found = checked?.values ?? [];
	/** Whether the check had the categories that the file names; numbers need none. */
	const hasNames = isRead || !found.some(({ field }) => field === "categoryId");
	const failure = broken ?? (hasNames ? undefined : unread);
	const correcting = useCorrections(file, petFile.options);
	const words = hasNames ? withProposals(mapped, found) : mapped;
	const isClear = openFields(preview, mapping).size === 0;
	const isChecked = checked?.isComplete === true && isClear && hasNames && words.length === mapped.length;
	useEffect(() => {
		if (words.length > mapped.length) setMapped(words);
	}, [checked]);

	function map(next: Mapping): void {
		setMapping(next);
		setMapped([]);
		correcting.clear();
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
			note={<ColumnsNote file={file} checked={checked} failure={failure} />}
			onBack={onBack}
			next={{
				label: "Continue",
				isReady: isChecked && checked.good + checked.bad > 0,
				run: () => setStep(hasWords ? "Values" : "Check"),
			}}
		>
			<ColumnsTable preview={preview} setHeaderRow={setHeaderRow} mapping={mapping} setMapping={map} />
		</Step>
	);
}

function ColumnsLead({ file: { kind, sheets }, isTable }: { file: OpenFile; isTable: boolean }) {
	return (
		<>
			<p class="soft">
				{isTable && "Click the row that holds the column names. Then "}
				{isTable ? "say" : "Say"} what each column is.
			</p>
			{sheets && sheets.names.length > 1 && <SheetMenu sheet={kind.sheet} sheets={sheets} />}
		</>
	);
}

function ColumnsNote({ file, checked, failure }: { file: OpenFile; checked: Checked | undefined; failure: unknown }) {
	const rows = (checked?.good ?? 0) + (checked?.bad ?? 0);
	return (
		<>
			<p>
				<strong class="file">{file.name}</strong>, {describeKind(file.kind)}
			</p>
			{failure === undefined ? (
				<p role="status">{checked?.isComplete ? `${countOf(rows)} below the names` : "Checking …"}</p>
			) : (
				<Problem>{describe(failure)}</Problem>
			)}
		</>
	);
}

interface CheckedProps {
	file: PetFile;
	session: Session;
	categories: readonly Category[];
	mapped: MappedValue[];
	checked: Checked;
	/** Whether the whole file was checked with the current choices. */
	isChecked: boolean;
	correcting: Correcting;
	onBack(): void;
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

function CheckStep({ onStart, ...shared }: CheckedProps & { onStart(job: Job): void }) {
	const { file, checked, isChecked, correcting, onBack } = shared;
	const { shown, damaged, unused, others } = checked;
	const [other] = others;
	const { corrections, now } = correcting;
	const fixed = shown.filter(({ row }) => now(row).pet).length;
	const good = checked.good + fixed - damaged.filter((row) => row.pet && !now(row).pet).length;
	const bad = checked.bad - fixed;
	const correctedFile = { ...file, options: { ...file.options, corrections } };
	const start = useStart(shared, (options) =>
		onStart(
			createJob({
				file: { ...correctedFile, options: { ...correctedFile.options, ...options } },
				total: good,
			}),
		),
	);
	return (
		<Step
			key="check"
			name="Check"
			lead={
				<p role="status" class="num">
					<strong>
						{digits.format(good)} good, {digits.format(bad)} to fix.
					</strong>{" "}
					<span class="soft">
						{bad > 0 && "Correct the red fields, or leave these rows out. "}
						{unused.length > 0 && `Ignored: ${unused.join(", ")}.`}
						{other && ` No animals: row ${other.row} (“${other.text}”)`}
						{others.length > 1 && ` and ${others.length - 1} more`}
					</span>
				</p>
			}
			note={
				<>
					<p>
						<strong class="file">{file.name}</strong>, {countOf(good + bad)}
					</p>
					<Problem>{start.problem}</Problem>
				</>
			}
			onBack={onBack}
			others={bad > 0 && <SaveRows file={file} count={bad} texts={() => rejectedTexts(correctedFile)} />}
			next={{
				label: good > 0 ? `Add ${countOf(good)}` : "Add",
				isReady: isChecked && good > 0 && !start.isPending,
				run: start.run,
			}}
		>
			{shown.length > 0 && (
				<RowsTable title="To fix" rejected={shown} count={checked.bad} options={file.options} correcting={correcting} />
			)}
		</Step>
	);
}

/**
 * Creates the new categories, then starts the import, unless the user has left the step or signed out. A retry creates
 * no category twice.
 */
function useStart(
	{ session, mapped, categories }: CheckedProps,
	onStart: (options: Pick<ReadOptions, "values">) => void,
) {
	const { reload } = useContext(CategoriesContext);
	const [state, setState] = useState<{ isPending: boolean; problem?: string }>({ isPending: false });
	const hasLeft = useRef(false);
	useEffect(
		() => () => {
			hasLeft.current = true;
		},
		[],
	);
	async function run(): Promise<void> {
		setState({ isPending: true });
		try {
			const made = await makeCategories(session.ask, newNames(mapped));
			if (made.length > 0) reload();
			if (!hasLeft.current) onStart({ values: toValues(mapped, categories, numbersOf(made)) });
		} catch (failure) {
			const mayNot = failure instanceof ApiError && failure.status === 403;
			const why = mayNot ? "This key may not create categories: it lacks the scope pets:edit." : sentenceOf(failure);
			setState({ isPending: false, problem: `${why} Nothing was added.` });
		}
	}
	return { ...state, run: () => void run() };
}

/** The columns whose names match a field; the menus show them. If several match one field, the user chooses. */
function guessed(preview: Preview): Mapping {
	const { at, ambiguous } = findColumns(preview.columns, {}, preview.sample);
	const clear = newPetFields.filter((field) => !ambiguous.includes(field));
	return Object.fromEntries(clear.map((field) => [field, columnAt(preview, at[field])]));
}

function useCheck(of: OpenFile, file: PetFile): { checked: Checked | undefined; failure: unknown } {
	const [checked, setChecked] = useKept<Checked | undefined>(of, "checked", () => undefined);
	const [failure, setFailure] = useState<unknown>();
	useEffect(() => {
		const leaving = new AbortController();
		setChecked(checked && { ...checked, values: [], isComplete: false });
		setFailure(undefined);
		void checkRows(file, leaving.signal, setChecked).catch((error) => !leaving.signal.aborted && setFailure(error));
		return () => leaving.abort();
	}, [file]);
	return { checked, failure };
}
