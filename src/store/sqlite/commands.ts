// The commands of the writer thread, with their requests and results. A batch of commands is one transaction.

import type Database from "better-sqlite3";
import type { Timed } from "../group-commit.ts";
import { idempotencyMs } from "../idempotency.ts";
import { newKey } from "../key-rows.ts";
import { leaseSql } from "../leases.ts";
import {
	type AddUnless,
	type CreateResult,
	type EditOutcome,
	type KeyUse,
	type NewKey,
	type NewSecret,
	StoreUpgraded,
} from "../store.ts";
import { createRowWriter, insertSql, type Row, type TableName, tables } from "../tables.ts";
import { type CreatedBatch, type CreateRequest, createResults, prepareCreates } from "./creates.ts";
import { type EditRequest, prepareEdit } from "./edits.ts";
import { schemaMax } from "./file.ts";

interface Commands {
	createPet: { request: CreateRequest; result: CreateResult };
	/** @returns the number of removed keys */
	sweepIdempotencyKeys: { request: { nowMs: number; rows: number }; result: number };
	takeLease: { request: { name: string; holder: string; nowMs: number; forMs: number }; result: boolean };
	editPet: { request: EditRequest; result: EditOutcome };
	addKey: { request: { key: NewKey; secret: NewSecret; unless: AddUnless | undefined }; result: boolean };
	rotateKey: { request: { keyId: string; secret: NewSecret; graceEndsAtMs: number }; result: undefined };
	revokeKey: { request: { keyId: string; nowMs: number }; result: undefined };
	touchKeys: { request: { uses: KeyUse[] }; result: undefined };
	/** Writes a page without changing it. */
	probe: { request: object; result: undefined };
	addRows: { request: { table: TableName; rows: Row[] }; result: undefined };
	setLastId: { request: { lastId: bigint }; result: undefined };
	/** The value undefined removes the setting. */
	setSetting: { request: { name: string; value: Uint8Array | undefined }; result: undefined };
}

export type CommandName = keyof Commands;
export type Request<Name extends CommandName> = Commands[Name]["request"];
export type Result<Name extends CommandName = CommandName> = Commands[Name]["result"];

/** One write. */
export type Write = { [Name in CommandName]: { name: Name; request: Request<Name> } }[CommandName];

/** Queues a command for the writer thread. */
export type WriteCommand = <Name extends CommandName>(name: Name, request: Request<Name>) => Promise<Result<Name>>;

type OtherWrite = Exclude<Write, { name: "createPet" }>;
type Appliers = { [Name in OtherWrite["name"]]: (request: Request<Name>) => Result<Name> };

/** A batch on its way to the writer thread. What writes of one batch do does not depend on their order. */
export interface SentBatch {
	creates: CreateRequest[];
	others: OtherWrite[];
	/** How long it may wait while another process writes. */
	lockWaitMs: number;
}

/** The results of a batch on their way back. */
export interface SentResults {
	created: CreatedBatch;
	others: Result[];
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
export function toResults(batch: Write[], { created, others, syncMs }: SentResults): Timed<Result> {
	const creates = createResults(created);
	const rest = others.values();
	return { results: batch.map(({ name }) => (name === "createPet" ? creates : rest).next().value), syncMs };
}

/**
 * @returns a function that applies a batch in one transaction: the whole batch is on disk when it returns, and nothing
 * is stored when it throws
 */
export function prepareCommit(database: Database.Database): (batch: SentBatch) => SentResults {
	const probe = () => void database.pragma(`user_version = ${database.pragma("user_version", { simple: true })}`);
	const createPets = prepareCreates(database);
	const appliers: Appliers = {
		sweepIdempotencyKeys: prepareSweep(database),
		takeLease: prepareLease(database),
		editPet: prepareEdit(database),
		...keyAppliers(database),
		...copyAppliers(database),
		probe,
	};
	function apply<Name extends OtherWrite["name"]>(write: { name: Name; request: Request<Name> }): Result<Name> {
		return appliers[write.name](write.request);
	}
	let appliedAtMs = 0;
	const schema = database.prepare<[], number>("PRAGMA user_version").pluck();
	const commit = database.transaction(({ creates, others }: SentBatch) => {
		if (Number(schema.get()) > schemaMax) throw new StoreUpgraded();
		const results = { created: createPets(creates), others: others.map((write) => apply(write)) };
		appliedAtMs = performance.now();
		return results;
	}).immediate;
	return (batch) => ({ ...commit(batch), syncMs: performance.now() - appliedAtMs });
}

function prepareSweep(database: Database.Database): Appliers["sweepIdempotencyKeys"] {
	const sweep = database.prepare(
		`DELETE FROM idempotency_keys WHERE rowid IN
		(SELECT rowid FROM idempotency_keys WHERE created_at_ms <= ? LIMIT ?)`,
	);
	return ({ nowMs, rows }) => sweep.run(nowMs - idempotencyMs, rows).changes;
}

function prepareLease(database: Database.Database): Appliers["takeLease"] {
	const lease = database.prepare(leaseSql({ name: "@name", holder: "@holder", nowMs: "@nowMs", forMs: "@forMs" }));
	return (request) => lease.run(request).changes === 1;
}

const toKeyRow = createRowWriter(newKey);
const toUseRow = createRowWriter(tables.keyUses);

function keyAppliers(database: Database.Database): Pick<Appliers, "addKey" | "rotateKey" | "revokeKey" | "touchKeys"> {
	const anySecret = database.prepare("SELECT 1 FROM secrets WHERE @hash IS NULL OR hash = @hash LIMIT 1");
	const addKey = database.prepare(insertSql(newKey));
	const addSecret = database.prepare(
		`INSERT INTO secrets (hash, key_id, number, last4, created_at_ms, expires_at_ms)
		SELECT @hash, @keyId, coalesce(max(number), 0) + 1, @last4, @createdAtMs, @expiresAtMs
		FROM secrets WHERE key_id = @keyId`,
	);
	const endSecrets = database.prepare(
		"UPDATE secrets SET expires_at_ms = min(coalesce(expires_at_ms, @endsAtMs), @endsAtMs) WHERE key_id = @keyId",
	);
	const revoke = database.prepare("UPDATE keys SET revoked_at_ms = ? WHERE id = ? AND revoked_at_ms IS NULL");
	const touch = database.prepare(
		`${insertSql(tables.keyUses)} ON CONFLICT (key_id, operation)
		DO UPDATE SET last_used_at_ms = max(last_used_at_ms, excluded.last_used_at_ms)`,
	);
	const storeSecret = (keyId: string, secret: NewSecret) =>
		addSecret.run({ ...secret, keyId, expiresAtMs: secret.expiresAtMs ?? null });
	return {
		addKey({ key, secret, unless }) {
			if (unless && anySecret.get({ hash: unless === "same secret" ? secret.hash : null })) return false;
			addKey.run(...toKeyRow(key));
			storeSecret(key.id, secret);
			return true;
		},
		rotateKey({ keyId, secret, graceEndsAtMs }) {
			endSecrets.run({ endsAtMs: graceEndsAtMs, keyId });
			storeSecret(keyId, secret);
		},
		revokeKey({ keyId, nowMs }) {
			revoke.run(nowMs, keyId);
		},
		touchKeys({ uses }) {
			for (const use of uses) touch.run(...toUseRow(use));
		},
	};
}

/** For copying a whole store (copy.ts). */
function copyAppliers(database: Database.Database): Pick<Appliers, "addRows" | "setLastId" | "setSetting"> {
	const dropLastId = database.prepare("DELETE FROM sqlite_sequence WHERE name = 'pets'");
	const addLastId = database.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('pets', ?)");
	const putSetting = database.prepare("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)");
	const dropSetting = database.prepare("DELETE FROM settings WHERE name = ?");
	return {
		addRows({ table, rows }) {
			const add = database.prepare(insertSql(tables[table], "INSERT OR IGNORE"));
			for (const row of rows) add.run(...row);
		},
		setLastId({ lastId }) {
			dropLastId.run();
			addLastId.run(lastId);
		},
		setSetting({ name, value }) {
			if (value === undefined) dropSetting.run(name);
			else putSetting.run(name, value);
		},
	};
}
