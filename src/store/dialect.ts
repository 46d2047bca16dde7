// The form of a transaction for both engines, and the SQL that differs between them.

import type { Row, Statement } from "./tables.ts";

/** The SQL that differs between the engines. */
export interface Dialect {
	/** At the end of a SELECT, locks the selected row until the commit. */
	forUpdate: string;
	/** Returns the id of the next edit. No other transaction gets the same id. */
	nextEditId: string;
	/** SQL that removes all rows of these tables. A table may refer only to tables before it in the list. */
	clear(names: string[]): string[];
	/** Used after a copy: the next animal gets an id above `lastId`, the next edit an id above the largest. */
	keepIds(lastId: bigint): Statement[];
	/** A write that changes nothing. It returns a row if a newer version has upgraded the schema. */
	probe: string;
}

export type Transaction<Result> = Generator<Statement, Result, Row[]>;
