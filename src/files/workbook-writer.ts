// Writes a table of up to 26 columns as a workbook (.xlsx) while its rows arrive. Each cell is a text, so that no
// program rounds a 64-bit number or runs a name that begins with `=`.

import { strToU8, Zip, ZipDeflate } from "fflate";
import { tooManyPets, workbookMaxPets } from "../contract/console.ts";
import { FileError } from "./encoding.ts";

const sheetMaxRows = workbookMaxPets + 1;

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const types = "application/vnd.openxmlformats-officedocument.spreadsheetml";
const relationships = (...list: [type: string, target: string][]) =>
	`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${list
		.map(([type, target], at) => `<Relationship Id="rId${at + 1}" Type="${relations}/${type}" Target="${target}"/>`)
		.join("")}</Relationships>`;

const parts = {
	"[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">\
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>\
<Override PartName="/xl/workbook.xml" ContentType="${types}.sheet.main+xml"/>\
<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${types}.worksheet+xml"/>\
<Override PartName="/xl/styles.xml" ContentType="${types}.styles+xml"/></Types>`,
	"_rels/.rels": relationships(["officeDocument", "xl/workbook.xml"]),
	"xl/workbook.xml": `<workbook xmlns="${main}" xmlns:r="${relations}">\
<sheets><sheet name="Animals" sheetId="1" r:id="rId1"/></sheets></workbook>`,
	"xl/_rels/workbook.xml.rels": relationships(["worksheet", "worksheets/sheet1.xml"], ["styles", "styles.xml"]),
	// Style 1 is the format "text" (49), in which an edited cell stays a text.
	"xl/styles.xml": `<styleSheet xmlns="${main}">\
<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>\
<fills count="2"><fill><patternFill patternType="none"/></fill>\
<fill><patternFill patternType="gray125"/></fill></fills>\
<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>\
<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>\
<cellXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>\
<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>\
<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`,
};
/** Keeps the heading in sight. */
const sheetStart = `<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0">\
<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>\
<cols><col min="1" max="26" width="24" style="1" customWidth="1"/></cols><sheetData>`;
/** Keeps Excel from marking texts as errors because they look like numbers. */
const sheetEnd = `</sheetData><ignoredErrors>\
<ignoredError sqref="A1:Z${sheetMaxRows}" numberStoredAsText="1"/></ignoredErrors></worksheet>`;

/**
 * The memory used does not depend on the number of rows. @param batches rows; the first row is the heading
 * @throws FileError if a sheet cannot hold all rows; no program can open the part that was written
 */
export async function* formatWorkbook(batches: AsyncIterable<string[][]>, maxRows = sheetMaxRows) {
	const ready: Uint8Array[] = [];
	const zip = new Zip((error, piece) => {
		if (error) throw error;
		ready.push(piece);
	});
	const begin = (name: string) => {
		const part = new ZipDeflate(name, { level: 1 });
		zip.add(part);
		return (xml: string, isLast = false) => part.push(strToU8(xml), isLast);
	};
	for (const [name, xml] of Object.entries(parts)) begin(name)(declaration + xml, true);
	const write = begin("xl/worksheets/sheet1.xml");
	write(declaration + sheetStart);
	let count = 0;
	for await (const rows of batches) {
		if (count + rows.length > maxRows) throw new FileError(tooManyPets);
		write(rows.map((cells) => rowXml(++count, cells)).join(""));
		yield* ready.splice(0);
	}
	write(sheetEnd, true);
	zip.end();
	yield* ready;
}

function rowXml(row: number, cells: readonly string[]): string {
	const columnOf = (at: number) => String.fromCharCode(65 + at);
	return `<row r="${row}">${cells.map((text, at) => cellXml(`${columnOf(at)}${row}`, text)).join("")}</row>`;
}

function cellXml(at: string, text: string): string {
	if (text === "") return "";
	const space = /^\s|\s$/.test(text) ? ' xml:space="preserve"' : "";
	return `<c r="${at}" s="1" t="inlineStr"><is><t${space}>${textXml(text)}</t></is></c>`;
}

/** A workbook has `_xHHHH_` for a character that XML lacks. If a text looks like this, its `_` becomes `_x005F_`. */
function textXml(text: string): string {
	if (!/[&<>_]|[^ -\uFFFD]/.test(text)) return text;
	const codeOf = (sign: string) => `_x${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`;
	const escaped = text.replace(/_(?=x[\dA-Fa-f]+_)|[^ -\uFFFD]/g, codeOf);
	return escaped.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
