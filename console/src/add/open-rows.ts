// An opened file of animals, and the rows of the file that cannot be added.

import type { Fault } from "../../../src/contract/validate.ts";
import { describeRow } from "../../../src/files/fault-words.ts";
import type { FileKind, Source } from "../../../src/files/formats.ts";
import type { IdColumn } from "../../../src/files/proposals.ts";
import { rejectedRow } from "../../../src/files/rejected-rows.ts";
import type { FileRow, ReadOptions } from "../../../src/files/rows.ts";

/** A file that was read, and how to read its rows. */
export interface PetFile {
	name: string;
	source: Source;
	kind: FileKind;
	options: ReadOptions;
	/** The column that identifies an animal: several rows with the same value may be one animal. */
	id?: IdColumn | undefined;
	/** The rows, each by its number, that are left out because another row of the same animal is added. */
	earlier?: ReadonlySet<number>;
}

export interface Rejected {
	row: FileRow;
	faults: Fault[];
}

/** The reason why a row was rejected, for people. */
export function reasonOf({ row, faults }: Rejected): string {
	return describeRow(row, faults).join("; ");
}

/** A rejected row in the file's format, with its line and the reason. @param isFirst see `rejectedRow` */
export function rejectedText(rejected: Rejected, { kind }: PetFile, isFirst: boolean): string {
	return rejectedRow(rejected.row, reasonOf(rejected), kind, isFirst);
}
