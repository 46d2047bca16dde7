// Rows to fix, with the broken part marked.

import type { Fault } from "../../src/contract/validate.ts";
import { findColumns, type Mapping } from "../../src/files/columns.ts";
import type { FileRow } from "../../src/files/rows.ts";
import { describeFault } from "./fault-text.ts";
import { digits } from "./notes.tsx";
import type { Rejected } from "./open-rows.ts";

interface RejectedTableProps {
	title: string;
	/** The first ones. */
	rejected: Rejected[];
	/** How many there are. */
	count: number;
	mapping: Mapping;
}

export function RejectedTable({ title, rejected, count, mapping }: RejectedTableProps) {
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
		<section class="scroll rejected" aria-label={title} tabIndex={0}>
			<h2>
				{title}
				{count > rejected.length && (
					<span class="soft num">
						{" "}
						the first {rejected.length} of {digits.format(count)}
					</span>
				)}
			</h2>
			<table>
				<thead>
					<tr>
						<th scope="col" class="n">
							Row
						</th>
						<th scope="col">Why</th>
						<th scope="col">Content</th>
					</tr>
				</thead>
				<tbody>
					{rejected.map(({ row, faults }) => (
						<tr key={row.number}>
							<td class="n">{digits.format(row.row)}</td>
							<td>{describe({ row, faults }, mapping)}</td>
							<td class="row" dir="auto">
								<GivenRow row={row} faults={faults} mapping={mapping} />
							</td>
						</tr>
					))}
				</tbody>
			</table>
		</section>
	);
}

function describe({ row: { given }, faults }: Rejected, mapping: Mapping): string {
	const at = columnsOf(given, mapping);
	const cell = ({ field = "" }: Fault) =>
		typeof given === "string" ? undefined : (given.cells[at[field] ?? -1] ?? "");
	return faults.map((fault) => describeFault(fault, cell(fault))).join("; ");
}

/** The place of each field in the cells of the row. */
function columnsOf(given: FileRow["given"], mapping: Mapping): Record<string, number> {
	return typeof given === "string" ? {} : findColumns(given.columns, mapping).at;
}

function GivenRow({ row: { given }, faults, mapping }: Rejected & { mapping: Mapping }) {
	if (typeof given === "string") return <code>{given.slice(0, 300)}</code>;
	const at = columnsOf(given, mapping);
	const broken = faults.flatMap(({ field = "" }) => at[field] ?? []);
	return (
		<>
			{given.cells.map((cell, index) =>
				broken.includes(index) ? (
					<mark key={index}>{cell === "" ? "(empty)" : cell.slice(0, 200)}</mark>
				) : (
					<span key={index}>{cell.slice(0, 200)}</span>
				),
			)}
		</>
	);
}
