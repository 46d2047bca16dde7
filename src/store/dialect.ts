// The form of a transaction for both engines, and the SQL in which the engines differ.

import type { Row, Statement } from "./tables.ts";

export interface Dialect {
	/** SQL at the end of a SELECT: it locks the selected row until the commit. */
	forUpdate: string;
	/** SQL that returns the id of the next edit. No other transaction gets the same id. */
	nextEditId: string;
	/** A write that changes nothing. It returns a row if a newer version has upgraded the schema. */
	probe: string;
	/** Statements that replace several rows of counts with the same keys by one row with their sum. */
	addCounts: readonly string[];
}

export type Transaction<Result> = Generator<Statement, Result, Row[]>;
