// What a transaction is for both engines, and the SQL that differs between them.

import type { Row, Statement } from "./tables.ts";

/** The SQL that differs between the engines. */
export interface Dialect {
	/** After a SELECT: locks its row until the commit. */
	forUpdate: string;
	/** SQL of a clock that all nodes of the store share. */
	clock(nowMs: number): string;
	/** Reads the id of the next edit, which no other transaction gets. */
	nextEditId: string;
	/** SQL that removes all rows of tables, which may refer to those before them. */
	clear(names: string[]): string[];
	/** After a copy: the next animal gets an id above this one, and the next edit one above the largest. */
	keepIds(lastId: bigint): Statement[];
	/** Writes something that changes nothing. It has a row if a newer version has upgraded the schema. */
	probe: string;
}

export type Transaction<Result> = Generator<Statement, Result, Row[]>;
