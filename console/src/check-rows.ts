// Checks a whole file before anything is sent, a piece at a time, so that the page answers meanwhile.

import { changeEveryMs, shownMax } from "./add-rows.ts";
import { type PetFile, type Rejected, readPetFile } from "./open-rows.ts";

export interface Checked {
	good: number;
	/** Rows to fix. */
	bad: number;
	shown: Rejected[];
	/** Columns that an animal does not have. */
	unused: string[];
	isComplete: boolean;
}

/** Reads the whole file as it would be added. @throws FileError @param show called now and then, and at the end */
export async function checkRows(file: PetFile, signal: AbortSignal, show: (checked: Checked) => void): Promise<void> {
	const checked: Checked = { good: 0, bad: 0, shown: [], unused: [], isComplete: false };
	const options = { ...file.options, onUnused: (name: string) => checked.unused.push(name) };
	let shownAtMs = 0;
	for await (const rows of readPetFile({ ...file, options })) {
		for (const row of rows) {
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
	if (!signal.aborted) show({ ...checked, isComplete: true });
}
