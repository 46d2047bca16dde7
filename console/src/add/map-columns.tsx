// Step 2 of adding many: which row has the names of the columns, and what each column holds.

import { newPetFields } from "../../../src/contract/pet.ts";
import { findColumns, type Mapping } from "../../../src/files/columns.ts";
import type { Preview } from "../../../src/files/rows.ts";
import { Select } from "../parts/fields.tsx";
import { labels } from "../parts/sentences.ts";
import type { Field } from "./add-form.ts";
import type { OpenFile } from "./open-file.ts";

/** The fields that several columns fit and for which no choice was made. Each field is given with these columns. */
export function openFields({ columns, sample }: Preview, mapping: Mapping): Map<Field, number[]> {
	const { fits, ambiguous } = findColumns(columns, mapping, sample);
	return new Map(ambiguous.filter((field) => mapping[field] === undefined).map((field) => [field, fits[field]]));
}

export function SheetMenu({ sheet, sheets }: { sheet: string | undefined; sheets: NonNullable<OpenFile["sheets"]> }) {
	return (
		<Select
			aria-label="Sheet"
			choices={[["", "Sheets with one heading"], ...sheets.names.map((name) => [name, `Sheet: ${name}`] as const)]}
			value={sheet ?? ""}
			onChange={(name) => sheets.open(name || undefined)}
		/>
	);
}

interface ColumnsTableProps {
	preview: Preview;
	setHeaderRow(row: number): void;
	mapping: Mapping;
	setMapping(mapping: Mapping): void;
}

export function ColumnsTable({ preview, setHeaderRow, mapping, setMapping }: ColumnsTableProps) {
	const { columns, headerRow, above, rows } = preview;
	const heading = headerRow ? [{ row: headerRow, cells: columns }] : [];
	const open = openFields(preview, mapping);
	const fieldAt = (index: number) => newPetFields.find((field) => mapping[field] === index);
	const proposedAt = (index: number) => newPetFields.find((field) => open.get(field)?.includes(index));

	function assign(index: number, chosen: Field | undefined): void {
		const [other, ...more] = (open.get(proposedAt(index) ?? "name") ?? []).filter((one) => one !== index);
		// If two columns fit a field, rejecting one column chooses the other.
		if (!chosen && other !== undefined && more.length === 0) hold(other, proposedAt(index));
		else hold(index, chosen);
	}

	function hold(index: number, field: Field | undefined): void {
		const others = Object.entries(mapping).filter(([of, from]) => of !== field && from !== index);
		const left = newPetFields.filter((of) => mapping[of] === index && of !== field).map((of) => [of, null]);
		setMapping(Object.fromEntries([...others, ...left, ...(field ? [[field, index]] : [])]));
	}

	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
		<section class="scroll" aria-label="The first rows" tabIndex={0}>
			<table class="preview">
				<caption class="hidden">The first rows, and what each column holds</caption>
				<thead>
					<tr>
						<th scope="col">Row</th>
						{columns.map((column, index) => (
							<th key={`${column}-${index}`} scope="col">
								{headerRow === undefined && column}
								<ColumnMenu
									label={`Column ${nameOf(columns, index)} holds`}
									field={fieldAt(index)}
									proposed={proposedAt(index)}
									onChange={(field) => assign(index, field)}
								/>
							</th>
						))}
					</tr>
				</thead>
				<tbody>
					{[...above, ...heading, ...rows].map(({ row, cells }, index) => (
						<tr
							key={headerRow === undefined ? index : row}
							onClick={headerRow === undefined ? undefined : () => setHeaderRow(row)}
							class={row === headerRow ? "heading" : row < (headerRow ?? 0) ? "above" : ""}
						>
							<td class="n">
								{headerRow === undefined ? (
									row
								) : (
									<button
										type="button"
										aria-pressed={row === headerRow}
										aria-label={`Row ${row} names the columns`}
										onClick={(event) => {
											event.stopPropagation();
											setHeaderRow(row === headerRow ? 0 : row);
										}}
									>
										{row}
									</button>
								)}
							</td>
							{columns.map((_, index) => (
								<td key={index} class={fieldAt(index) ? "" : "off"} dir="auto">
									{cells[index]}
								</td>
							))}
						</tr>
					))}
				</tbody>
			</table>
		</section>
	);
}

/** The name of a column, with the position if the name alone is ambiguous or empty. */
function nameOf(columns: string[], index: number): string {
	const name = columns[index] ?? "";
	if (name === "") return String(index + 1);
	return columns.indexOf(name) === columns.lastIndexOf(name) ? name : `${index + 1}, ${name},`;
}

interface ColumnMenuProps {
	label: string;
	/** The field that the column holds; undefined if the column is not used. */
	field: Field | undefined;
	/** A field that fits this column, but also other columns. */
	proposed: Field | undefined;
	onChange(field: Field | undefined): void;
}

const holds = [...newPetFields.map((field) => [field, labels[field]] as const), ["", "Not used"] as const];

function ColumnMenu({ label, field, proposed, onChange }: ColumnMenuProps) {
	return (
		<Select
			class={field ? "" : proposed ? "ask" : "off"}
			aria-label={label}
			choices={proposed && !field ? [["open", `${labels[proposed]}?`], ...holds] : holds}
			value={field ?? (proposed ? "open" : "")}
			onChange={(value) => onChange(newPetFields.find((one) => one === value))}
		/>
	);
}
