// Workbooks as spreadsheet programs write them: texts in a separate table, dates as styled numbers, formulas with
// their results.

import { strToU8, zipSync } from "fflate";

/**
 * The content of a cell: a text, the digits of a number, also in a format with five digits, a date in days since 1899,
 * or a formula with its result.
 */
export type Cell =
	| string
	| { digits: string }
	| { padded: string }
	| { days: number }
	| { formula: string; result: string }
	| undefined;

const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const relationships = (...targets: string[]) =>
	`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${targets.join("")}</Relationships>`;
const relation = (id: string, type: string, target: string) =>
	`<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"/>`;
const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

const styles =
	'<numFmts><numFmt numFmtId="164" formatCode="00000"/></numFmts>' +
	'<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs>';

/** The cells of texts, in lines with commas. */
const cellsOf = (text: string): Cell[][] =>
	text.split("\n").map((line) => line.split(",").map((cell) => cell || undefined));

/**
 * The bytes of an .xlsx file.
 * @param sheets the rows of each sheet, by the sheet's name; a text has a line for each row, with commas
 * @param merged cells, as A2:A4
 * @param folder of the sheets, also as a path from the root
 */
export function workbook(
	sheets: Record<string, Cell[][] | string>,
	merged: string[] = [],
	folder: "worksheets" | "/xl/worksheets" = "worksheets",
): Buffer {
	const texts: string[] = [];
	const cellXml = (cell: Cell, at: string): string => {
		if (cell === undefined) return "";
		if (typeof cell === "string") return `<c r="${at}" t="s"><v>${texts.push(cell) - 1}</v></c>`;
		if ("digits" in cell) return `<c r="${at}"><v>${cell.digits}</v></c>`;
		if ("padded" in cell) return `<c r="${at}" s="2"><v>${cell.padded}</v></c>`;
		if ("days" in cell) return `<c r="${at}" s="1"><v>${cell.days}</v></c>`;
		return `<c r="${at}" t="str"><f>${escaped(cell.formula)}</f><v>${escaped(cell.result)}</v></c>`;
	};
	const merges = `<mergeCells>${merged.map((ref) => `<mergeCell ref="${ref}"/>`).join("")}</mergeCells>`;
	const sheetXml = (rows: Cell[][] | string) => {
		const lines = (typeof rows === "string" ? cellsOf(rows) : rows).map((cells, row) => {
			const inner = cells.map((cell, column) => cellXml(cell, `${String.fromCharCode(65 + column)}${row + 1}`));
			return `<row r="${row + 1}">${inner.join("")}</row>`;
		});
		return `<worksheet ${main}><sheetData>${lines.join("")}</sheetData>${merges}</worksheet>`;
	};
	const names = Object.keys(sheets);
	const parts: Record<string, string> = {
		"_rels/.rels": relationships(relation("rId1", "officeDocument", "xl/workbook.xml")),
		"xl/workbook.xml": `<workbook ${main} xmlns:r="${office}"><sheets>${names
			.map((name, at) => `<sheet name="${escaped(name)}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`)
			.join("")}</sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": relationships(
			...names.map((_, at) => relation(`rId${at + 1}`, "worksheet", `${folder}/sheet${at + 1}.xml`)),
			relation("rId98", "styles", "styles.xml"),
			relation("rId99", "sharedStrings", "sharedStrings.xml"),
		),
		"xl/styles.xml": `<styleSheet ${main}>${styles}</styleSheet>`,
	};
	for (const [at, rows] of Object.values(sheets).entries()) parts[`xl/worksheets/sheet${at + 1}.xml`] = sheetXml(rows);
	const items = texts.map((text) => `<si><t xml:space="preserve">${escaped(text)}</t></si>`);
	parts["xl/sharedStrings.xml"] = `<sst ${main}>${items.join("")}</sst>`;
	return archive(parts);
}

export function archive(parts: Record<string, string>): Buffer {
	return Buffer.from(zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)]))));
}
