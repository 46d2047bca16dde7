// The user's corrections of fields, before the rows are added.

import { correctedRow, type FileRow, type ReadOptions, type Texts, textsOf } from "../../src/files/rows.ts";
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
		textOf: (row, field) => of(row)[field] ?? textsOf(row.given, options.mapping)[field] ?? "",
		now: (row) => correctedRow(row, of(row), options),
		clear: () => setCorrections(new Map()),
	};
}
