// Checks a whole file before anything is sent, a piece at a time, so that the page answers meanwhile.

import { isDamaged } from "../../src/files/encoding.ts";
import { countUnknownValues, type UnknownValue } from "../../src/files/values.ts";
import { changeEveryMs, shownMax } from "./add-rows.ts";
import { type PetFile, type Rejected, readPetFile } from "./open-rows.ts";

export interface Checked {
	good: number;
	/** Rows to fix. */
	bad: number;
	shown: Rejected[];
	/** Columns that an animal does not have. */
	unused: string[];
	/** The texts in place of a status; set when the check is complete. */
	values: UnknownValue[];
	/** The first names that have lost letters, and how many there are. */
	damaged: string[];
	damagedCount: number;
	isComplete: boolean;
}

const damagedMax = 3;
const noDamage = { values: [], damaged: [], damagedCount: 0 };

/** Reads the whole file as it would be added. @throws FileError @param show called now and then, and at the end */
export async function checkRows(file: PetFile, signal: AbortSignal, show: (checked: Checked) => void): Promise<void> {
	const checked: Checked = { good: 0, bad: 0, shown: [], unused: [], ...noDamage, isComplete: false };
	const values = countUnknownValues();
	const options = { ...file.options, onUnused: (name: string) => checked.unused.push(name) };
	let shownAtMs = 0;
	for await (const rows of readPetFile({ ...file, options })) {
		for (const row of rows) {
			if (row.unknownStatus !== undefined) values.add(row.unknownStatus);
			if (row.pet && isDamaged(row.pet.name) && ++checked.damagedCount <= damagedMax)
				checked.damaged = [...checked.damaged, row.pet.name];
			if (row.pet) checked.good++;
			else if (++checked.bad <= shownMax) checked.shown.push({ row, faults: row.faults });
		}
		if (signal.aborted) return;
		if (performance.now() - shownAtMs < changeEveryMs) continue;
		shownAtMs = performance.now();
		show({ ...checked });
		// Lets the page answer between the pieces of a large file.
		await new Promise((resolve) => setTimeout(resolve));
	}
	if (!signal.aborted) show({ ...checked, values: values.list(), isComplete: true });
}
