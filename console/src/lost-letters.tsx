// Names that have lost letters, for the user to correct in step 3 of adding many.

import type { FileRow } from "../../src/files/rows.ts";
import type { Correcting } from "./corrections.ts";
import { digits } from "./notes.tsx";

interface LostLettersProps {
	rows: FileRow[];
	count: number;
	correcting: Correcting;
}

export function LostLetters({ rows, count, correcting }: LostLettersProps) {
	const { textOf, correct, now } = correcting;
	return (
		<section class="lost" aria-label="Lost letters">
			<h2>Letters seem to be lost in {count === 1 ? "1 name" : `${digits.format(count)} names`}</h2>
			<p>
				That happens when a list is saved in an older format. Correct the names here, or save the list again as CSV
				UTF-8.
			</p>
			<div>
				{rows.map((row) => (
					<label key={row.number}>
						Row {digits.format(row.row)}
						<input
							dir="auto"
							autocomplete="off"
							value={textOf(row, "name")}
							aria-invalid={now(row).faults?.some(({ field }) => field === "name") ?? false}
							onInput={({ currentTarget: { value } }) => correct(row, { name: value })}
						/>
					</label>
				))}
				{count > rows.length && <p>and {digits.format(count - rows.length)} more</p>}
			</div>
		</section>
	);
}
