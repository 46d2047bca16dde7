// Step 3 of adding many: the meanings of words in place of a status, which a person confirms, and names that have lost
// letters, which a person corrects. No guess is sent that nobody saw.

import { type PetStatus, petStatuses } from "../../src/contract/pet.ts";
import type { FileRow } from "../../src/files/rows.ts";
import { plainValue, type UnknownValue, type Values } from "../../src/files/values.ts";
import type { Correcting } from "./corrections.ts";
import { digits } from "./notes.tsx";

/** A word of the file and its meaning: null for no status, `fix` to correct its rows; undefined until it is chosen. */
export interface MappedValue extends UnknownValue {
	meaning: PetStatus | null | "fix" | undefined;
}

export function toValues(mapped: readonly MappedValue[]): Values {
	return new Map(
		mapped.flatMap(({ text, meaning }) =>
			meaning === undefined || meaning === "fix" ? [] : [[plainValue(text), meaning] as const],
		),
	);
}

/** A column with more distinct words is not a list of values. Their rows are corrected one by one. */
const shownMax = 12;

/** Adds the words that a check has found, each with its proposal. */
export function withProposals(mapped: readonly MappedValue[], found: readonly UnknownValue[]): MappedValue[] {
	const known = new Set(mapped.map(({ text }) => text));
	const added = found.filter(({ text }) => !known.has(text)).slice(0, shownMax - mapped.length);
	return [...mapped, ...added.map((value) => ({ ...value, meaning: value.proposed }))];
}

interface MapValuesProps {
	mapped: MappedValue[];
	setMapped(mapped: MappedValue[]): void;
}

export function MapValues({ mapped, setMapped }: MapValuesProps) {
	return (
		<table class="values">
			<thead>
				<tr>
					<th scope="col">In your list</th>
					<th scope="col" class="n">
						Rows
					</th>
					<th scope="col">Becomes</th>
				</tr>
			</thead>
			<tbody>
				{mapped.map((value, index) => (
					<tr key={value.text}>
						<th scope="row" dir="auto">
							“{value.text}”
						</th>
						<td class="n">{digits.format(value.rows)}</td>
						<td>
							<select
								class={value.meaning === undefined ? "ask" : ""}
								aria-label={`“${value.text}” becomes`}
								value={String(value.meaning)}
								onChange={({ currentTarget }) => {
									const meaning = meanings.find((one) => String(one) === currentTarget.value);
									setMapped(mapped.with(index, { ...value, meaning }));
								}}
							>
								{value.meaning === undefined && <option value="undefined">Choose …</option>}
								{petStatuses.map((status) => (
									<option key={status} value={status}>
										{status}
									</option>
								))}
								<option value="null">not set</option>
								<option value="fix">correct each row</option>
							</select>
						</td>
					</tr>
				))}
			</tbody>
		</table>
	);
}

const meanings = [...petStatuses, null, "fix"] as const;

interface LostLettersProps {
	/** The first rows of them. */
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
