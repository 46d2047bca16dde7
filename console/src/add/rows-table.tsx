// Rows that cannot be added, grouped by reason. Until the import starts, the invalid fields can be corrected in place.

import { newPetFields, petStatuses } from "../../../src/contract/pet.ts";
import { rejectedFormat } from "../../../src/files/rejected-rows.ts";
import { type FileRow, textsOf } from "../../../src/files/rows.ts";
import { Button } from "../parts/button.tsx";
import { TableHead } from "../parts/cells.tsx";
import { Select } from "../parts/fields.tsx";
import { byteOrderMark, saveFile } from "../parts/save-file.ts";
import { digits, labels } from "../parts/sentences.ts";
import type { Field } from "./add-form.ts";
import type { Correcting } from "./corrections.tsx";
import { type PetFile, type Rejected, reasonOf } from "./open-rows.ts";

interface RowsTableProps {
	title: string;
	rejected: Rejected[];
	count: number;
	/** Absent if the rows can no longer be corrected. */
	correcting?: Correcting;
}

const headings = { Row: "n", ...Object.fromEntries(newPetFields.map((field) => [labels[field], field])) };

export function RowsTable({ title, rejected, count, correcting }: RowsTableProps) {
	const byReason = Map.groupBy(rejected, (one) => reasonOf(one));
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
		<section class="scroll" aria-label={title} tabIndex={0}>
			<table class="rejected">
				<TableHead columns={headings} />
				{[...byReason].map(([reason, rows]) => (
					<tbody key={reason}>
						<tr class="reason">
							<th colSpan={newPetFields.length + 1} scope="rowgroup">
								{reason}{" "}
								<span class="soft">· {rows.length === 1 ? "1 row" : `${digits.format(rows.length)} rows`}</span>
							</th>
						</tr>
						{rows.map((one) => (
							<RejectedRow key={one.row.number} {...one} reason={reason} correcting={correcting} />
						))}
					</tbody>
				))}
			</table>
			{count > rejected.length && (
				<p class="soft num">
					The first {digits.format(rejected.length)} of {digits.format(count)} rows
				</p>
			)}
		</section>
	);
}

interface RejectedRowProps extends Rejected {
	reason: string;
	correcting: Correcting | undefined;
}

function RejectedRow({ row, faults, reason, correcting }: RejectedRowProps) {
	const { given } = row;
	const texts = textsOf(given);
	const isWhole = faults.some(({ field }) => field === undefined) && row.pet === undefined;
	return (
		<tr>
			<td class="n">{typeof row.row === "number" ? digits.format(row.row) : row.row}</td>
			{isWhole ? (
				<td colSpan={newPetFields.length} dir="auto">
					<code>{(given.text ?? given.cells.join(" ")).slice(0, 300)}</code>
				</td>
			) : (
				newPetFields.map((field) => (
					<td key={field} dir="auto">
						{faults.some((fault) => fault.field === field) ? (
							<Broken row={row} field={field} reason={reason} correcting={correcting} text={texts[field] ?? ""} />
						) : (
							texts[field]?.slice(0, 200)
						)}
					</td>
				))
			)}
		</tr>
	);
}

interface BrokenProps {
	row: FileRow;
	field: Field;
	reason: string;
	correcting: Correcting | undefined;
	text: string;
}

/** An input to correct an invalid field. The input stays after the correction. */
function Broken({ row, field, reason, correcting, text }: BrokenProps) {
	if (!correcting) return <span class="broken">{text === "" ? "(empty)" : text.slice(0, 200)}</span>;
	const shared = {
		"aria-label": `${labels[field]} in row ${row.row}: ${reason}`,
		"aria-invalid": correcting.now(row).faults?.some((fault) => fault.field === field) ?? false,
		// An input has only one line.
		value: correcting.textOf(row, field).replaceAll("\n", " "),
	};
	const correct = (value: string) => correcting.correct(row, { [field]: value });
	if (field === "status")
		return (
			<Select
				{...shared}
				choices={[text, ...petStatuses, ""].map((status) => [status, status.slice(0, 40) || "not set"])}
				onChange={correct}
			/>
		);
	return (
		<input {...shared} dir="auto" autocomplete="off" onInput={({ currentTarget }) => correct(currentTarget.value)} />
	);
}

interface SaveRowsProps {
	file: PetFile;
	count: number;
	texts(): Promise<string[]> | string[];
}

export function SaveRows({ file, count, texts }: SaveRowsProps) {
	const format = rejectedFormat(file.kind);
	async function save(): Promise<void> {
		const parts = [...(format === "csv" ? [byteOrderMark] : []), ...(await texts())];
		saveFile(`${file.name}.rejected.${format}`, new Blob(parts, { type: "text/plain" }));
	}
	return <Button label={`Save the ${count === 1 ? "row" : `${digits.format(count)} rows`} as a file`} onClick={save} />;
}
