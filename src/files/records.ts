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
	let line = 0;
	/** The start of a line whose end has not come yet. If it is too long, its text is dropped. */
	let rest = "";
	let isDropped = false;
	function endLine(end: string): PetRecord {
		const whole = rest + end;
		const text = whole.endsWith("\r") ? whole.slice(0, -1) : whole;
		const isTooLong = isDropped || text.length > recordMaxLength;
		line++;
		rest = "";
		isDropped = false;
		return { line, row: line, text: isTooLong ? "" : text, isTooLong };
	}
	for await (const text of texts) {
		const lines = text.split("\n");
		const last = lines.pop() ?? "";
		yield lines.map(endLine).filter(isNotBlank);
		rest += last;
		isDropped ||= rest.length > recordMaxLength + 1;
		if (isDropped) rest = "";
	}
	yield [endLine("")].filter(isNotBlank);
}

function isNotBlank({ text, isTooLong }: PetRecord): boolean {
	return isTooLong || /\S/.test(text);
}
