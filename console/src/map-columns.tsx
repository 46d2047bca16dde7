// Step 2 of adding many: which row names the columns, and what each column holds.

import { newPetFields } from "../../src/contract/pet.ts";
import type { Mapping } from "../../src/files/columns.ts";
import type { OpenFile } from "./open-file.ts";

export type Field = (typeof newPetFields)[number];
export const labels: Record<Field, string> = { name: "Name", categoryId: "Category", status: "Status" };

export function SheetMenu({ sheet, sheets }: { sheet: string | undefined; sheets: NonNullable<OpenFile["sheets"]> }) {
	return (
		<select
			aria-label="Sheet"
			value={sheet}
			onChange={({ currentTarget }) => {
				sheets.open(currentTarget.value);
			}}
		>
			{sheets.names.map((name) => (
				<option key={name} value={name}>
					Sheet: {name}
				</option>
			))}
		</select>
	);
}

interface ColumnsTableProps {
	preview: OpenFile["preview"];
	/** Takes another row as the heading. */
	setHeaderRow(row: number): void;
	mapping: Mapping;
	setMapping(mapping: Mapping): void;
}

export function ColumnsTable({ preview, setHeaderRow, mapping, setMapping }: ColumnsTableProps) {
	const { columns, headerRow, above, rows } = preview;
	const heading = headerRow === undefined ? [] : [{ row: headerRow, cells: columns }];
	const fieldOf = (column: string | undefined) => newPetFields.find((field) => mapping[field] === column);

	function assign(column: string, field: Field | undefined): void {
		const others = Object.entries(mapping).filter(([of, from]) => of !== field && from !== column);
		const left = newPetFields.filter((of) => mapping[of] === column && of !== field).map((of) => [of, null]);
		setMapping(Object.fromEntries([...others, ...left, ...(field ? [[field, column]] : [])]));
	}

	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
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
									label={`Column ${column || index + 1} holds`}
									field={fieldOf(column)}
									onChange={(field) => assign(column, field)}
								/>
							</th>
						))}
					</tr>
				</thead>
				<tbody>
					{[...above, ...heading, ...rows].map(({ row, cells }, index) => (
						<tr
							key={headerRow === undefined ? index : row}
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
										onClick={() => setHeaderRow(row)}
									>
										{row}
									</button>
								)}
							</td>
							{columns.map((column, index) => (
								<td key={index} class={fieldOf(column) ? "" : "off"} dir="auto">
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

interface ColumnMenuProps {
	label: string;
	/** What the column holds; undefined if it is not used. */
	field: Field | undefined;
	onChange(field: Field | undefined): void;
}

function ColumnMenu({ label, field, onChange }: ColumnMenuProps) {
	return (
		<select
			class={field ? "" : "off"}
			aria-label={label}
			value={field ?? ""}
			onChange={({ currentTarget: { value } }) => onChange(newPetFields.find((one) => one === value))}
		>
			{newPetFields.map((one) => (
				<option key={one} value={one}>
					{labels[one]}
				</option>
			))}
			<option value="">Not used</option>
		</select>
	);
}
