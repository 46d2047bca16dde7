// The user's corrections of fields before the rows are added, and the inputs for names that have lost letters.

import { correctedRow, type FileRow, type ReadOptions, textsOf } from "../../../src/files/rows.ts";
import type { Texts } from "../../../src/files/values.ts";
import { digits } from "../parts/sentences.ts";
import { useKept } from "./kept.ts";
import type { OpenFile } from "./open-file.ts";

export interface Correcting {
	corrections: ReadonlyMap<number, Texts>;
	correct(row: FileRow, texts: Texts): void;
	textOf(row: FileRow, field: keyof Texts): string;
	/** The row with its corrections. */
	now(row: FileRow): FileRow;
	clear(): void;
}

export function useCorrections(file: OpenFile, options: ReadOptions): Correcting {
	const [corrections, setCorrections] = useKept<ReadonlyMap<number, Texts>>(file, "corrections", () => new Map());
	const of = ({ number }: FileRow) => corrections.get(number) ?? {};
	return {
		corrections,
		correct: (row, texts) => setCorrections(new Map([...corrections, [row.number, { ...of(row), ...texts }]])),
		textOf: (row, field) => of(row)[field] ?? textsOf(row.given)[field] ?? "",
		now: (row) => correctedRow(row, of(row), options),
		clear: () => setCorrections(new Map()),
	};
}

interface LostLettersProps {
	rows: FileRow[];
	count: number;
	correcting: Correcting;
}

/** Names that have lost letters, for the user to correct in step 3 of adding many. */
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
						Row {row.row}
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
