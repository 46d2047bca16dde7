// Access to the stored rows of any engine, for copying a whole store from one engine to another.

import type { TableName } from "./tables.ts";

export type Row = (bigint | string | null)[];

export interface Rows {
	count(table: TableName): Promise<number>;
	/** The next rows in key order, after the row with this key. */
	read(table: TableName, after: Row | undefined, limit: number): Promise<Row[]>;
	/** The largest id of an animal. */
	readLastPetId(): Promise<bigint | undefined>;
	/** The last id that was assigned, 0 before the first. Its animal may have been removed. */
	readLastIssuedId(): Promise<bigint>;
	/** Inserts rows, all or none. Skips rows that exist already. */
	write(table: TableName, rows: Row[]): Promise<void>;
	/** The mark of the source, if this store is an unfinished copy. */
	readCopyMark(): Promise<string | undefined>;
	markCopy(mark: string): Promise<void>;
	/** Completes a copy: cursors of the source become valid, and the next id follows the source's last one. */
	finishCopy(source: { cursorSecret: Buffer; lastIssuedId: bigint }): Promise<void>;
}
