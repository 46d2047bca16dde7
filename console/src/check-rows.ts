// Checks a whole file before anything is sent. The check works in pieces, so that the page stays responsive.

import { isDamaged } from "../../src/files/encoding.ts";
import { type FileRow, type OtherRow, type ReadOptions, readRows, textsOf } from "../../src/files/rows.ts";
import { countUnknownValues, type UnknownValue } from "../../src/files/values.ts";
import { shownMax } from "./add-rows.ts";
import { type PetFile, type Rejected, rejectedText } from "./open-rows.ts";

export interface Checked {
	good: number;
	bad: number;
	shown: Rejected[];
	/** Columns that are not fields of an animal. */
	unused: string[];
	/** Rows that are no animals, such as sums. */
	others: OtherRow[];
	/** Unknown values in the status and category fields; set when the check is complete. */
	values: UnknownValue[];
	/** The first rows whose names have lost letters, and the number of all such rows. */
	damaged: FileRow[];
	damagedCount: number;
	isComplete: boolean;
}

const damagedMax = 12;
const showEveryMs = 100;
const noDamage = { values: [], damaged: [], damagedCount: 0 };

/** The name in a row. Other fields may be invalid, but the row must be readable. */
function nameOf({ pet, given, faults = [] }: FileRow, { mapping }: ReadOptions): string {
	const isReadable = faults.every(({ field }) => field !== undefined);
	return pet?.name ?? (isReadable ? (textsOf(given, mapping).name ?? "") : "");
}

/** Reads the whole file as an import would. @throws FileError @param show called from time to time, and at the end */
export async function checkRows(file: PetFile, signal: AbortSignal, show: (checked: Checked) => void): Promise<void> {
	const checked: Checked = { good: 0, bad: 0, shown: [], unused: [], others: [], ...noDamage, isComplete: false };
	const values = countUnknownValues();
	const options: ReadOptions = {
		...file.options,
		onUnused: (name) => checked.unused.push(name),
		onOther: (row) => checked.others.push(row),
	};
	let shownAtMs = 0;
	for await (const rows of readRows(file.source, file.kind, options)) {
		for (const row of rows) {
			if (row.unknown) values.add(row.unknown);
			if (isDamaged(nameOf(row, options)) && ++checked.damagedCount <= damagedMax)
				checked.damaged = [...checked.damaged, row];
			if (row.pet) checked.good++;
			else if (++checked.bad <= shownMax) checked.shown.push({ row, faults: row.faults });
		}
		if (signal.aborted) return;
		if (performance.now() - shownAtMs < showEveryMs) continue;
		shownAtMs = performance.now();
		show({ ...checked });
		// Lets the page respond between the pieces of a large file.
		await new Promise((resolve) => setTimeout(resolve));
	}
	if (!signal.aborted) show({ ...checked, values: values.list(), isComplete: true });
}

/** All rows that would be rejected, in the file's format, each with its line and the reason. @throws FileError */
export async function rejectedTexts(file: PetFile): Promise<string[]> {
	const texts: string[] = [];
	for await (const rows of readRows(file.source, file.kind, file.options))
		for (const row of rows)
			if (row.faults) texts.push(rejectedText({ row, faults: row.faults }, file, texts.length === 0));
	return texts;
}
