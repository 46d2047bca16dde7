// The row of a table that names its columns: where it is, and whether its names are clear.

import type { NewPet } from "../contract/pet.ts";
import { type Columns, findColumns, findHeading, hasTexts, type Mapping } from "./columns.ts";
import { type CsvRecord, csvRecords } from "./csv-records.ts";
import { decodeText, FileError, quoteNames } from "./encoding.ts";
import { type FileKind, firstRecords, headerWithin, namesDelimiter, type Source } from "./formats.ts";

/** A column that is missing, unknown or duplicated: another mapping may help. */
export class ColumnError extends FileError {
	/** The field that several columns fit, and their names. Of one name: only a mapping by position helps. */
	choice?: { field: keyof NewPet; names: string[] };
}

export interface Header {
	/** As a spreadsheet counts. */
	row: number;
	line: number;
	columns: string[];
}

/** The row of the option, or the one that names the columns of an animal, or the first with two texts, or the first. */
export async function findHeader(
	source: Source,
	kind: FileKind,
	{ mapping, headerRow }: { mapping?: Mapping | undefined; headerRow?: number | undefined },
): Promise<Header> {
	const records = await firstRecords(tableRecords(source, kind), headerRow ?? headerWithin);
	const found =
		headerRow === undefined
			? (findHeading(records, mapping) ?? records.find(hasTexts) ?? records[0])
			: records.find(({ row }) => row === headerRow);
	if (!found) throw new ColumnError(`row ${headerRow ?? 1} is empty or missing: it cannot name the columns`);
	return { row: found.row, line: found.line, columns: found.cells.map((name) => name.trim()) };
}

/** Without a first line that only names the delimiter. */
export async function* tableRecords(source: Source, { encoding, delimiter }: FileKind): AsyncGenerator<CsvRecord[]> {
	for await (const records of csvRecords(decodeText(source(), encoding), delimiter))
		yield records.filter(({ row, cells }) => row > 1 || !namesDelimiter(cells));
}

/** @throws ColumnError if they are not clear */
export function checkColumns({ columns, line, row }: Header, mapping?: Mapping): Columns {
	const found = findColumns(columns, mapping);
	const { fits, unknown, missing, ambiguous } = found;
	const place = `; row ${row} names the columns ${quoteNames(columns)}`;
	const refuse = (why: string) => new ColumnError(why + place, line);
	if (unknown.length > 0) throw refuse(`there is no column ${quoteNames(unknown)}`);
	if (missing.length > 0) throw refuse(`no column is named ${missing.join(", and none ")}`);
	const [field] = ambiguous;
	if (!field) return found;
	const names = fits[field].map((index) => columns[index] ?? "");
	const isOneName = new Set(names).size === 1;
	const several = isOneName
		? `there are two columns ${quoteNames(names.slice(1, 2))}`
		: `several columns fit ${field}: ${quoteNames(names)}`;
	throw Object.assign(refuse(several), { choice: { field, names } });
}
