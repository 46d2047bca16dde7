// A file as a table: its columns, the first rows below them, and all its records. An object of JSON is a row whose
// fields are the columns.

import { toJson, tryParseJson } from "../contract/json.ts";
import type { Fault } from "../contract/validate.ts";
import { isKnown, knownName } from "./column-words.ts";
import { ColumnError, findHeading, hasTexts, type Mapping, type Sample } from "./columns.ts";
import { csvRecords } from "./csv-records.ts";
import { FileError } from "./encoding.ts";
import { type FileKind, firstRecords, headerWithin, lineTexts, type Source } from "./formats.ts";
import { jsonElements, lineRecords, type RecordPlace } from "./records.ts";

export interface TableRecord extends RecordPlace {
	cells: string[];
	/** The JSON of the row. */
	text?: string;
	/** The positions of cells that were lists, objects, or numbers other than exact integers. */
	inexact?: number[];
	/** Why the JSON is not an object. */
	fault?: Fault;
}

export interface Table {
	/** The names of the columns. In JSON, a field that appears later is added when its object is read. */
	columns: string[];
	/** The number of the row that names the columns, as in a spreadsheet; 0 if no row names them; undefined in JSON. */
	headerRow: number | undefined;
	/** The line of that row. */
	line: number;
	/** The first rows below that row. */
	sample: Sample;
	/** All records of the file, also those above the row that names the columns. */
	records(): AsyncGenerator<TableRecord[]>;
}

/** This many rows below the heading show what each column holds. */
const sampleRows = 200;

/** @param choices the heading's row, if known, and column names that help to find it @throws FileError */
export async function openTable(
	source: Source,
	kind: FileKind,
	choices: { mapping?: Mapping | undefined; headerRow?: number | undefined },
): Promise<Table> {
	if (kind.format !== "csv") {
		const columns: string[] = [];
		const mapped = Object.values(choices.mapping ?? {});
		const records = () => objectRecords(source, kind, columns, mapped);
		const first = await firstRecords(records(), sampleRows);
		return { columns, headerRow: undefined, line: 1, sample: first.map(({ cells }) => cells), records };
	}
	const { mapping, headerRow } = choices;
	const records = () => csvRecords(lineTexts(source, kind), kind.delimiter);
	const first = await firstRecords(records(), (headerRow ?? headerWithin) + sampleRows);
	if (headerRow === 0) {
		const width = Math.max(0, ...first.map(({ cells }) => cells.length));
		const columns = Array.from({ length: width }, (_, at) => `#${at + 1}`);
		return { columns, headerRow, line: 1, sample: first.map(({ cells }) => cells), records };
	}
	const mayBe = first.slice(0, headerWithin);
	const found =
		headerRow === undefined
			? (findHeading(mayBe, mapping) ?? mayBe.find(hasTexts) ?? first[0])
			: first.find(({ row }) => row === headerRow);
	if (!found) throw new ColumnError(`row ${headerRow ?? 1} is empty or missing: it cannot name the columns`);
	const columns = found.cells.map((name) => name.trim());
	const sample = first.filter(({ row }) => row > found.row).map(({ cells }) => cells);
	return { columns, headerRow: found.row, line: found.line, sample, records };
}

/** After this many columns, a new field is added only if it is known or mapped: each object could have new fields. */
const columnsMax = 1000;

async function* objectRecords(
	source: Source,
	kind: FileKind,
	columns: string[],
	mapped: readonly unknown[],
): AsyncGenerator<TableRecord[]> {
	const texts = lineTexts(source, kind);
	const known = new Set(columns);
	const isArray = kind.format === "json";
	for await (const records of isArray ? jsonElements(texts, kind.wrapper) : lineRecords(texts))
		yield records.map((record): TableRecord => {
			const { value, error } = tryParseJson(record.text);
			if (error !== undefined && isArray) throw new FileError(`this is not JSON: ${error}`, record.line);
			if (error !== undefined)
				return { ...record, cells: [], fault: { field: undefined, problem: "not one JSON object", detail: error } };
			if (typeof value !== "object" || value === null || Array.isArray(value))
				return { ...record, cells: [], fault: { field: undefined, problem: "not a JSON object" } };
			for (const name of Object.keys(value)) {
				if (known.has(name) || (known.size >= columnsMax && !isKnown(knownName(name)) && !mapped.includes(name)))
					continue;
				known.add(name);
				columns.push(name);
			}
			const values = columns.map((name) => (Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined));
			const inexact = values.flatMap((one, at) => (isInexact(one) ? [at] : []));
			return { ...record, cells: values.map(textOf), ...(inexact.length > 0 && { inexact }) };
		});
}

const isInexact = (value: unknown) =>
	typeof value === "number" ? !Number.isSafeInteger(value) : typeof value === "object" && value !== null;

/** A value of JSON as a cell: empty for null; its JSON for a list or an object, which no animal's field can be. */
export function textOf(value: unknown): string {
	if (value === undefined || value === null) return "";
	return typeof value === "object" ? toJson(value) : String(value);
}
