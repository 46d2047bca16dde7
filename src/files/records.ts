// Splits text into lines without parsing them. A record has at most 65,536 characters, so that a huge line uses little
// memory.

import { bodyMaxBytes } from "../contract/limits.ts";

/** A longer record could not be sent. */
export const recordMaxLength = bodyMaxBytes;

export interface RecordPlace {
	/** The line of its first character, from 1. */
	line: number;
	/** The row as a spreadsheet counts them: a cell with line breaks is in one row. */
	row: number;
	isTooLong: boolean;
}

export interface PetRecord extends RecordPlace {
	/** Empty when the record is too long. */
	text: string;
}

/** The lines that are not blank. */
export async function* lineRecords(texts: AsyncIterable<string>): AsyncGenerator<PetRecord[]> {
	let line = 1;
	let rest = startRest();
	for await (const text of texts) {
		const lines: PetRecord[] = [];
		let start = 0;
		for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
			lines.push(endLine(rest, line++, text.slice(start, end)));
			if (rest.text !== "" || rest.isDropped) rest = startRest();
			start = end + 1;
		}
		keepRest(rest, text.slice(start));
		yield lines.filter(isNotBlank);
	}
	yield [endLine(rest, line, "")].filter(isNotBlank);
}

function isNotBlank({ text, isTooLong }: PetRecord): boolean {
	return isTooLong || /\S/.test(text);
}

/** The start of a line whose end has not come yet. If it is too long, its text is dropped. */
const startRest = () => ({ text: "", isDropped: false });
type Rest = ReturnType<typeof startRest>;

function keepRest(rest: Rest, text: string): void {
	rest.text += text;
	if (rest.text.length <= recordMaxLength + 1) return;
	rest.isDropped = true;
	rest.text = "";
}

function endLine(rest: Rest, line: number, end: string): PetRecord {
	const whole = rest.text + end;
	const text = whole.endsWith("\r") ? whole.slice(0, -1) : whole;
	const isTooLong = rest.isDropped || text.length > recordMaxLength;
	return { line, row: line, text: isTooLong ? "" : text, isTooLong };
}
