// The first rows of a file with a menu for each column, and the result of checking the whole file.

import { useEffect, useMemo, useState } from "preact/hooks";
import { newPetFields } from "../../src/contract/pet.ts";
import { findColumns, type Mapping } from "../../src/files/columns.ts";
import { describeKind } from "../../src/files/formats.ts";
import { previewRows } from "../../src/files/rows.ts";
import { createJob, type Job } from "./add-rows.ts";
import { type Checked, checkRows } from "./check-rows.ts";
import { type MappedValue, MapValues, toValues, withProposals } from "./map-values.tsx";
import { countOf, digits, FailureNote } from "./notes.tsx";
import { describe, type OpenFile, previewed } from "./open-file.ts";
import type { PetFile } from "./open-rows.ts";
import { RejectedTable } from "./rejected-table.tsx";

interface MapColumnsProps {
	file: OpenFile;
	onBack(): void;
	onStart(job: Job): void;
}

type Field = (typeof newPetFields)[number];
const labels: Record<Field, string> = { name: "Name", categoryId: "Category", status: "Status" };

export function MapColumns({ file, onBack, onStart }: MapColumnsProps) {
	const { name, source, kind } = file;
	const { preview, headerRow, setHeaderRow, failure: headingFailure } = useHeading(file);
	const [mapping, setMapping] = useState<Mapping>(() => guessed(preview.columns));
	const [mapped, setMapped] = useState<MappedValue[]>([]);
	const petFile: PetFile = useMemo(
		() => ({ name, source, kind, options: { mapping, values: toValues(mapped), headerRow } }),
		[file, mapping, mapped, headerRow],
	);
	const check = useCheck(petFile);
	const { checked } = check;
	const failure = headingFailure ?? check.failure;
	useEffect(() => {
		const next = withProposals(mapped, checked?.values ?? []);
		if (next.length > mapped.length) setMapped(next);
	}, [checked]);
	useEffect(() => {
		setMapping(guessed(preview.columns));
		setMapped([]);
	}, [preview]);
	const isReady = checked?.isComplete === true && checked.good > 0;

	function assign(column: string, field: Field | undefined): void {
		const others = Object.entries(mapping).filter(([of, from]) => of !== field && from !== column);
		const left = newPetFields.filter((of) => mapping[of] === column && of !== field).map((of) => [of, null]);
		setMapped([]);
		setMapping(Object.fromEntries([...others, ...left, ...(field ? [[field, column]] : [])]));
	}

	return (
		<>
			<p>
				<strong class="file">{name}</strong> <span class="soft">{describeKind(kind)}</span>
			</p>
			<div class="actions">
				<HeadingRow row={headerRow} setRow={setHeaderRow} />
				{file.sheets && file.sheets.names.length > 1 && <SheetMenu sheet={kind.sheet} sheets={file.sheets} />}
			</div>
			<PreviewTable preview={preview} mapping={mapping} assign={assign} />
			{mapped.length > 0 && <MapValues mapped={mapped} setMapped={setMapped} />}
			{failure !== undefined ? (
				<FailureNote title="This file cannot be added as it is">
					<p>{describe(failure)}</p>
				</FailureNote>
			) : (
				<CheckLine checked={checked} />
			)}
			<Start
				count={checked?.good ?? 0}
				isReady={isReady}
				onBack={onBack}
				onStart={(isInOrder) => checked && onStart(createJob({ file: petFile, total: checked.good, isInOrder }))}
			/>
			{checked !== undefined && checked.shown.length > 0 && (
				<RejectedTable rejected={checked.shown} count={checked.bad} mapping={mapping} title="To fix" />
			)}
		</>
	);
}

interface StartProps {
	/** Good rows. */
	count: number;
	isReady: boolean;
	onBack(): void;
	onStart(isInOrder: boolean): void;
}

function Start({ count, isReady, onBack, onStart }: StartProps) {
	const [isInOrder, setIsInOrder] = useState(true);
	return (
		<div class="actions">
			<button type="button" class="primary" aria-disabled={!isReady} onClick={() => isReady && onStart(isInOrder)}>
				{count > 0 ? `Add ${countOf(count)}` : "Add"}
			</button>
			<button type="button" class="quiet" onClick={onBack}>
				Another file
			</button>
			<label class="check">
				<input
					type="checkbox"
					checked={isInOrder}
					onChange={({ currentTarget }) => setIsInOrder(currentTarget.checked)}
				/>{" "}
				In the order of the file, which takes longer
			</label>
		</div>
	);
}

function SheetMenu({ sheet, sheets }: { sheet: string | undefined; sheets: NonNullable<OpenFile["sheets"]> }) {
	return (
		<label>
			of the sheet{" "}
			<select value={sheet} onChange={({ currentTarget }) => sheets.open(currentTarget.value)}>
				{sheets.names.map((name) => (
					<option key={name} value={name}>
						{name}
					</option>
				))}
			</select>
		</label>
	);
}

/** Which row of CSV names the columns. */
function HeadingRow({ row, setRow }: { row: number | undefined; setRow(row: number): void }) {
	if (row === undefined) return null;
	return (
		<label class="heading">
			The columns are named in row{" "}
			<input
				type="number"
				min={1}
				max={1000}
				value={row}
				onInput={({ currentTarget }) => setRow(currentTarget.valueAsNumber || 1)}
			/>
		</label>
	);
}

/** The first rows below the heading that is chosen. */
function useHeading({ source, kind, preview: first }: OpenFile) {
	const [preview, setPreview] = useState(first);
	const [headerRow, setHeaderRow] = useState(first.headerRow);
	const [failure, setFailure] = useState<unknown>();
	useEffect(() => {
		setFailure(undefined);
		if (headerRow === preview.headerRow) return;
		let isLate = false;
		void previewRows(source, kind, previewed, { headerRow })
			.then((read) => isLate || setPreview(read))
			.catch((error) => isLate || setFailure(error));
		return () => {
			isLate = true;
		};
	}, [headerRow]);
	return { preview, headerRow, setHeaderRow, failure };
}

/** The columns that are found by their names, so that the menus show them. */
function guessed(columns: string[]): Mapping {
	const { at } = findColumns(columns);
	return Object.fromEntries(newPetFields.map((field) => [field, columns[at[field]] ?? null]));
}

function useCheck(file: PetFile): { checked: Checked | undefined; failure: unknown } {
	const [checked, setChecked] = useState<Checked>();
	const [failure, setFailure] = useState<unknown>();
	useEffect(() => {
		const leaving = new AbortController();
		setChecked(undefined);
		setFailure(undefined);
		void checkRows(file, leaving.signal, setChecked).catch((error) => !leaving.signal.aborted && setFailure(error));
		return () => leaving.abort();
	}, [file]);
	return { checked, failure };
}

function CheckLine({ checked }: { checked: Checked | undefined }) {
	if (!checked) return <p class="soft">Checking …</p>;
	const { good, bad, unused, damaged, damagedCount, isComplete } = checked;
	const ignored = unused.length === 0 ? "" : ` Ignored: ${unused.join(", ")}.`;
	return (
		<p role={isComplete ? "status" : undefined} class="num">
			<strong>{digits.format(good)}</strong> good, <strong>{digits.format(bad)}</strong> to fix
			{isComplete ? "." : " so far …"}
			<span class="soft">{ignored}</span>
			{damagedCount > 0 && (
				<span class="damage" dir="auto">
					Letters seem to be lost in {digits.format(damagedCount)} of the names, such as {damaged.join(", ")}. Save the
					table again as CSV UTF-8.
				</span>
			)}
		</p>
	);
}

interface PreviewTableProps {
	preview: OpenFile["preview"];
	mapping: Mapping;
	assign(column: string, field: Field | undefined): void;
}

function PreviewTable({ preview: { columns, rows }, mapping, assign }: PreviewTableProps) {
	const fieldOf = (column: string) => newPetFields.find((field) => mapping[field] === column);
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
		<section class="scroll" aria-label="The first rows" tabIndex={0}>
			<table class="preview">
				<caption class="hidden">The first rows, and what each column holds</caption>
				<thead>
					<tr>
						{columns.map((column, index) => (
							<th key={`${column}-${index}`} scope="col">
								<span>{column || `column ${index + 1}`}</span>
								<select
									aria-label={`Column ${column || index + 1} holds`}
									value={fieldOf(column) ?? ""}
									onChange={({ currentTarget: { value } }) =>
										assign(
											column,
											newPetFields.find((field) => field === value),
										)
									}
								>
									<option value="">not used</option>
									{newPetFields.map((field) => (
										<option key={field} value={field}>
											{labels[field]}
										</option>
									))}
								</select>
							</th>
						))}
					</tr>
				</thead>
				<tbody>
					{rows.map((cells, row) => (
						<tr key={row}>
							{cells.map((cell, index) => (
								<td key={index} class={fieldOf(columns[index] ?? "") ? "" : "unused"} dir="auto">
									{cell}
								</td>
							))}
						</tr>
					))}
				</tbody>
			</table>
		</section>
	);
}
