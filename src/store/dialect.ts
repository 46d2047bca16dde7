// The form of a transaction for both engines, and the SQL that differs between them.

import type { Row, Statement } from "./tables.ts";

export interface Dialect {
	/** At the end of a SELECT, locks the selected row until the commit. */
	forUpdate: string;
	/** Returns the id of the next edit. No other transaction gets the same id. */
	nextEditId: string;
	/** A write that changes nothing. It returns a row if a newer version has upgraded the schema. */
	probe: string;
	/** Statements that add rows of counts together. */
	addCounts: readonly string[];
}

export type Transaction<Result> = Generator<Statement, Result, Row[]>;
