// The meanings of texts in place of a status: proposed, and confirmed or changed by a person before rows are added.

import { type PetStatus, petStatuses } from "../../src/contract/pet.ts";
import { plainValue, type UnknownValue, type Values } from "../../src/files/values.ts";
import { digits } from "./notes.tsx";

/** A text of the file and its meaning: null for no status, undefined while its rows are to fix. */
export interface MappedValue extends UnknownValue {
	meaning: PetStatus | null | undefined;
}

export function toValues(mapped: readonly MappedValue[]): Values {
	return new Map(
		mapped.flatMap(({ text, meaning }) => (meaning === undefined ? [] : [[plainValue(text), meaning] as const])),
	);
}

/** Adds the values that a check has found, each with its proposal. */
export function withProposals(mapped: readonly MappedValue[], found: readonly UnknownValue[]): MappedValue[] {
	const known = new Set(mapped.map(({ text }) => text));
	const added = found.filter(({ text }) => !known.has(text));
	return [...mapped, ...added.map((value) => ({ ...value, meaning: value.proposed }))];
}

/** A column with more distinct texts is not a list of values. */
const shownMax = 12;

interface MapValuesProps {
	mapped: MappedValue[];
	setMapped(mapped: MappedValue[]): void;
}

export function MapValues({ mapped, setMapped }: MapValuesProps) {
	return (
		<fieldset class="values">
			<legend>Meaning of the values in the status column</legend>
			{mapped.slice(0, shownMax).map((value, index) => (
				<label key={value.text}>
					<span class="soft num">{digits.format(value.rows)} ×</span> <q>{value.text}</q>
					<select
						value={value.meaning ?? String(value.meaning)}
						onChange={({ currentTarget }) => {
							const meaning = petStatuses.find((status) => status === currentTarget.value);
							const none = currentTarget.value === "null" ? null : undefined;
							setMapped(mapped.with(index, { ...value, meaning: meaning ?? none }));
						}}
					>
						{petStatuses.map((status) => (
							<option key={status} value={status}>
								{status}
							</option>
						))}
						<option value="null">no status</option>
						<option value="undefined">to fix</option>
					</select>
				</label>
			))}
		</fieldset>
	);
}
