// The rows of a store as they are kept, in the words of no engine: for moving a whole store from one engine to another.

import type { TableName } from "./tables.ts";

export type Row = (bigint | string | null)[];

export interface Rows {
	count(table: TableName): Promise<number>;
	/** The next rows by key, after the row with this key. */
	read(table: TableName, after: Row | undefined, limit: number): Promise<Row[]>;
	/** The largest id of an animal. */
	lastPetId(): Promise<bigint | undefined>;
	/** The last id that an animal was given, 0 before the first; the animal may be gone. */
	lastGivenId(): Promise<bigint>;
	/** Keeps rows as they are, all or none; those that are there already stay. */
	write(table: TableName, rows: Row[]): Promise<void>;
	/** What this store is an unfinished copy of. */
	copyMark(): Promise<string | undefined>;
	markCopy(mark: string): Promise<void>;
	/** Ends a copy: cursors of the source work from now on, and the next id follows the last one of the source. */
	finishCopy(source: { cursorSecret: Buffer; lastGivenId: bigint }): Promise<void>;
}
