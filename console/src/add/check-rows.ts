// Checks a whole file before anything is sent. The check works in pieces, so that the page stays responsive.

import { isDamaged } from "../../../src/files/encoding.ts";
import { repeatFinder } from "../../../src/files/proposals.ts";
import { type FileRow, type OtherRow, type ReadOptions, readRows, textsOf } from "../../../src/files/rows.ts";
import { countUnknownValues, type UnknownValue } from "../../../src/files/values.ts";
import { shownMax } from "./add-rows.ts";
import { type PetFile, type Rejected, rejectedText } from "./open-rows.ts";

export interface Checked {
	good: number;
	bad: number;
	/** The first animals. */
	first: FileRow[];
	shown: Rejected[];
	/** Columns that are not fields of an animal. */
	unused: string[];
	/** The first row that is no animal, such as a sum, and the number of all such rows. */
	other: OtherRow | undefined;
	otherCount: number;
	/** Unknown values in the status and category fields; set when the check is complete. */
	values: UnknownValue[];
	/** The first rows whose names have lost letters, and the number of all such rows. */
	damaged: FileRow[];
	damagedCount: number;
	/** The rows, each by its number, that are left out because another row of the same animal is added. */
	earlier: ReadonlySet<number>;
	/** What the user is asked; set when the check is complete. `repeats` is set if animals seem to have several rows. */
	open: { nameless: number; repeats: { rows: number; animals: number } | undefined } | undefined;
	isComplete: boolean;
}

const damagedMax = 12;
export const firstMax = 5;
const showEveryMs = 100;
const none = {
	other: undefined,
	otherCount: 0,
	values: [],
	damaged: [],
	damagedCount: 0,
	first: [],
	earlier: new Set<number>(),
	open: undefined,
};

/** Returns a function that lets the page respond. Most calls do not wait, because browsers prolong short timers. */
function createPause() {
	let pausedAtMs = performance.now();
	return async (work = () => {}) => {
		if (performance.now() - pausedAtMs < showEveryMs) return;
		work();
		await new Promise((resolve) => setTimeout(resolve));
		pausedAtMs = performance.now();
	};
}

/** The name in a row, even if other fields are invalid; empty if the row cannot be read. */
function nameOf({ pet, given, faults = [] }: FileRow): string {
	const isReadable = faults.every(({ field }) => field !== undefined);
	return pet?.name ?? (isReadable ? (textsOf(given).name ?? "") : "");
}

/** Reads the whole file as an import would. @throws FileError @param show called from time to time, and at the end */
export async function checkRows(file: PetFile, signal: AbortSignal, show: (checked: Checked) => void): Promise<void> {
	const checked: Checked = { good: 0, bad: 0, shown: [], unused: [], ...none, isComplete: false };
	const { id } = file;
	const pause = createPause();
	const finder = id && repeatFinder(id);
	if (finder && id.isConfirmed) {
		for await (const rows of readRows(file.source, file.kind, file.options)) {
			rows.forEach(finder.add);
			await pause();
			if (signal.aborted) return;
		}
		checked.earlier = finder.others;
	}
	let nameless = 0;
	const values = countUnknownValues();
	const options: ReadOptions = {
		...file.options,
		onUnused: (name) => checked.unused.push(name),
		onOther(row) {
			checked.other ??= row;
			checked.otherCount++;
		},
		onNameless(number) {
			if (!checked.earlier.has(number)) nameless++;
		},
	};
	for await (const rows of readRows(file.source, file.kind, options)) {
		for (const row of rows) {
			if (checked.earlier.has(row.number)) continue;
			if (!id?.isConfirmed) finder?.add(row);
			if (row.unknown) values.add(row.unknown);
			if (isDamaged(nameOf(row)) && ++checked.damagedCount <= damagedMax) checked.damaged = [...checked.damaged, row];
			if (row.faults && ++checked.bad <= shownMax) checked.shown.push({ row, faults: row.faults });
			if (row.pet && ++checked.good <= firstMax) checked.first = [...checked.first, row];
		}
		if (signal.aborted) return;
		await pause(() => show({ ...checked }));
	}
	if (signal.aborted) return;
	const repeats = finder?.isLikely()
		? { rows: finder.animals + finder.others.size, animals: finder.animals }
		: undefined;
	show({ ...checked, values: values.list(), open: { nameless, repeats }, isComplete: true });
}

/** All rows that would be rejected, in the file's format, each with its line and the reason. @throws FileError */
export async function rejectedTexts(file: PetFile): Promise<string[]> {
	const texts: string[] = [];
	for await (const rows of readRows(file.source, file.kind, file.options))
		for (const row of rows)
			if (row.faults && !file.earlier?.has(row.number))
				texts.push(rejectedText({ row, faults: row.faults }, file, texts.length === 0));
	return texts;
}
