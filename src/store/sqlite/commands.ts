// The messages to the writer thread and their results. A batch of writes is one transaction.

import type Database from "better-sqlite3";
import type { Timed } from "../group-commit.ts";
import { StoreUpgraded } from "../store.ts";
import { startTransaction, type TransactionName } from "../transactions.ts";
import { type CreatedBatch, type CreateRequest, createResults, prepareCreates } from "./creates.ts";
import { schemaMax } from "./file.ts";
import { dialect, runTransaction } from "./transaction.ts";

/** A transaction and its parameters after the dialect. */
interface OtherWrite {
	name: TransactionName;
	given: never;
}

export type Write = { name: "createPet"; request: CreateRequest } | OtherWrite;

/** A batch on its way to the writer thread. The result of a write does not depend on its place in the batch. */
export interface SentBatch {
	creates: CreateRequest[];
	others: OtherWrite[];
	/** How long it may wait while another process writes. */
	lockWaitMs: number;
}

/** The results of a batch on their way back. */
export interface SentResults {
	created: CreatedBatch;
	others: unknown[];
	syncMs: number;
}

export function toSentBatch(batch: Write[], lockWaitMs: number): SentBatch {
	const sent: SentBatch = { creates: [], others: [], lockWaitMs };
	for (const write of batch) {
		if (write.name === "createPet") sent.creates.push(write.request);
		else sent.others.push(write);
	}
	return sent;
}

/** The results in the order of the batch. */
export function toResults(batch: Write[], { created, others, syncMs }: SentResults): Timed<unknown> {
	const creates = createResults(created);
	const rest = others.values();
	return { results: batch.map(({ name }) => (name === "createPet" ? creates : rest).next().value), syncMs };
}

/**
 * @returns a function that applies a batch in one transaction: the whole batch is on disk when it returns, and nothing
 * is stored when it throws
 */
export function prepareCommit(database: Database.Database): (batch: SentBatch) => SentResults {
	const createPets = prepareCreates(database);
	let appliedAtMs = 0;
	const schema = database.prepare<[], number>("PRAGMA user_version").pluck();
	const commit = database.transaction(({ creates, others }: SentBatch) => {
		if (Number(schema.get()) > schemaMax) throw new StoreUpgraded();
		const created = createPets(creates);
		const results = others.map(({ name, given }) => runTransaction(database, startTransaction(dialect, name, given)));
		appliedAtMs = performance.now();
		return { created, others: results };
	}).immediate;
	return (batch) => ({ ...commit(batch), syncMs: performance.now() - appliedAtMs });
}
