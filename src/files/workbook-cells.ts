// Adds what a spreadsheet program shows but the reader of workbooks does not return: zeros that a format shows before a
// number, and the value of merged cells, which only the first of these cells has.

/** The parts of a workbook, by their names in the archive. */
type Parts = Readonly<Record<string, string>>;

const tags = (name: string, attributes = "[^>]*") => new RegExp(`<(?:[\\w.-]*:)?${name}\\s(${attributes})>`, "g");

function attributeOf(attributes: string, name: string): string {
	const [, text = ""] = new RegExp(`(?:^|[\\s:])${name}="([^"]*)"`).exec(attributes) ?? [];
	return text.replace(/&(amp|lt|gt|quot|apos);/g, (_, entity) => entities[entity as keyof typeof entities]);
}

const entities = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** By style number: the fewest digits that the style shows, for each style with a format such as 00000. */
export function digitsOfStyles(styles = ""): Map<string, number> {
	const formats = new Map(
		[...styles.matchAll(tags("numFmt"))].map(([, attributes = ""]) => {
			const [zeros = ""] = /^0+$/.exec(attributeOf(attributes, "formatCode")) ?? [];
			return [attributeOf(attributes, "numFmtId"), zeros.length] as const;
		}),
	);
	const [, cells = ""] = /<(?:[\w.-]*:)?cellXfs[\s>](.*?)<\/(?:[\w.-]*:)?cellXfs>/s.exec(styles) ?? [];
	const used = [...cells.matchAll(tags("xf"))].map(([, attributes = ""]) => attributeOf(attributes, "numFmtId"));
	return new Map(
		used.flatMap((id, style) => ((formats.get(id) ?? 0) > 1 ? [[String(style), formats.get(id) ?? 0]] : [])),
	);
}

const numberCells = /<((?:[\w.-]*:)?c)\s([^>]*[^>/])>((?:<f[\s>][^<]*<\/f>)?)<v>(\d+)<\/v>/g;

/** The sheet with the zeros that styles show before numbers. The cells with such zeros become texts. */
export function withZeros(sheet: string, digits: ReadonlyMap<string, number>): string {
	if (digits.size === 0) return sheet;
	return sheet.replace(numberCells, (cell, name: string, attributes: string, formula: string, value: string) => {
		const length = digits.get(attributeOf(attributes, "s")) ?? 0;
		if (value.length >= length || !["", "n"].includes(attributeOf(attributes, "t"))) return cell;
		const others = attributes.replace(/\s*\bt="n"/, "");
		return `<${name} ${others} t="str">${formula}<v>${value.padStart(length, "0")}</v>`;
	});
}

/** Cells of one column that are merged, by their positions from 0. */
export interface Merge {
	column: number;
	from: number;
	to: number;
}

/** The merged cells that are one column wide, by the name of their sheet. */
export function mergesOf(parts: Parts): Map<string, Merge[]> {
	const relations = parts["xl/_rels/workbook.xml.rels"] ?? "";
	const targets = new Map(
		[...relations.matchAll(tags("Relationship"))].map(([, attributes = ""]) => {
			const target = attributeOf(attributes, "Target");
			return [attributeOf(attributes, "Id"), target.startsWith("/") ? target.slice(1) : `xl/${target}`] as const;
		}),
	);
	const found = new Map<string, Merge[]>(); // By part, because many sheets of a damaged workbook may name one part.
	const sheets = (parts["xl/workbook.xml"] ?? "").matchAll(tags("sheet"));
	return new Map(
		[...sheets].map(([, attributes = ""]) => {
			const part = targets.get(attributeOf(attributes, "id")) ?? "";
			const merges = found.get(part) ?? [...(parts[part] ?? "").matchAll(tags("mergeCell"))].flatMap(mergeOf);
			found.set(part, merges);
			return [attributeOf(attributes, "name"), merges] as const;
		}),
	);
}

function mergeOf([, attributes = ""]: RegExpExecArray): Merge[] {
	const range = /^([A-Z]{1,3})([1-9]\d{0,6}):([A-Z]{1,3})([1-9]\d{0,6})$/.exec(attributeOf(attributes, "ref"));
	const [, letters = "", from, last, to] = range ?? [];
	return letters === last ? [{ column: numberOf(letters) - 1, from: Number(from) - 1, to: Number(to) - 1 }] : [];
}

/** The number of the column with these letters: A is 1, AA is 27. */
export const numberOf = (letters: string) =>
	[...letters].reduce((sum, letter) => 26 * sum + letter.charCodeAt(0) - 64, 0);

/**
 * Fills merged cells, except in the column of names, because rows that share a name are one animal.
 * @param name the column of the names @param cellsMax a limit, because merged cells of a damaged workbook may overlap
 */
export function fillDown(rows: string[][], merges: readonly Merge[], name: number, cellsMax: number): void {
	let left = cellsMax;
	for (const { column, from, to } of merges) {
		if (column === name) continue;
		for (const cells of rows.slice(from + 1, to + 1)) {
			if (left-- <= 0) return;
			cells[column] ||= rows[from]?.[column] ?? "";
		}
	}
}
