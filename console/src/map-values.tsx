// What the texts in place of a status mean: proposed, and changed by a person before the rows are added.

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

/** With the values that a check has found beside them, each with its proposal. */
export function withProposals(mapped: readonly MappedValue[], found: readonly UnknownValue[]): MappedValue[] {
	const known = new Set(mapped.map(({ text }) => text));
	const added = found.filter(({ text }) => !known.has(text));
	return [...mapped, ...added.map((value) => ({ ...value, meaning: value.proposed }))];
}

/** More are no values of a list, but texts. */
const shownMax = 12;

interface MapValuesProps {
	mapped: MappedValue[];
	setMapped(mapped: MappedValue[]): void;
}

export function MapValues({ mapped, setMapped }: MapValuesProps) {
	return (
		<fieldset class="values">
			<legend>What these values of the status mean</legend>
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
