// The form of a transaction for both engines, and the SQL that differs between them.

import type { Row, Statement } from "./tables.ts";

/** The SQL that differs between the engines. */
export interface Dialect {
	/** Appended to a SELECT, locks its row until the commit. */
	forUpdate: string;
	/** SQL of a clock that all nodes of the store share. */
	clock(nowMs: number): string;
	/** Takes the id of the next edit, which no other transaction gets. */
	nextEditId: string;
	/** SQL that removes all rows of tables. A table may refer to those before it in the list. */
	clear(names: string[]): string[];
	/** After a copy: the next animal gets an id above this one, and the next edit one above the largest. */
	keepIds(lastId: bigint): Statement[];
	/** A write that changes nothing. It returns a row if a newer version has upgraded the schema. */
	probe: string;
}

export type Transaction<Result> = Generator<Statement, Result, Row[]>;
