// How SQLite keeps animals. Reads run here, on the main thread, through a read-only connection; every write goes to the
// writer thread in batches (sqlite-writer.ts).

import { Worker } from "node:worker_threads";
import type Database from "better-sqlite3";
import type { Pet, PetStatus } from "../contract/pet.ts";
import { openSqliteReader } from "./sqlite-file.ts";
import type { Write, WriterMessage } from "./sqlite-writer.ts";
import { type Created, type KeyRow, type KeyRows, StorageUnavailable, type Store, StoreRefused } from "./store.ts";

/** Bounds the time that one transaction takes. */
const batchMax = 1000;
const sweepEveryMs = 10 * 60_000;

/**
 * Opens, and makes where it is missing, the store in this file.
 * @throws StoreRefused
 */
export async function openSqlite(file: string, now: () => number): Promise<Store> {
	const writer = await startWriter(file);
	const database = openSqliteReader(file);
	const reads = prepareReads(database);
	const sweep = () => void writer.write({ kind: "sweepRetries", nowMs: now() }).catch(() => {});
	const sweeper = setInterval(sweep, sweepEveryMs).unref();
	sweep();

	return {
		listPets: async (query) => reads.listPets(query),
		getPet: async (id) => reads.getPet(id),
		createPet: (pet, retry) => writer.write({ kind: "createPet", pet, retry, nowMs: now() }) as Promise<Created>,
		cursorSecret: database.prepare("SELECT value FROM settings WHERE name = 'cursor_secret'").pluck().get() as Buffer,
		keys: keyRows(database, writer.write),
		get queueLength() {
			return writer.queueLength;
		},
		check: async () => {
			reads.getPet(0n);
			await writer.write({ kind: "touchKeys", uses: [] });
		},
		close: async () => {
			clearInterval(sweeper);
			await writer.write({ kind: "touchKeys", uses: [] }).catch(() => {});
			database.close();
			await writer.close();
		},
	};
}

type PetTuple = [id: bigint, name: string, categoryId: bigint, status: PetStatus | null];

function prepareReads(database: Database.Database): Reads {
	const prepare = (rest: string) =>
		database
			.prepare<unknown[], PetTuple>(`SELECT id, name, category_id, status FROM pets ${rest}`)
			.safeIntegers()
			.raw();
	const one = prepare("WHERE id = ?");
	const pages = new Map<string, Database.Statement<unknown[], PetTuple>>();

	/** The limit stands in the text, not in a parameter: SQLite plans a statement anew for each bound LIMIT. */
	function pageStatement(limit: number, where: string): Database.Statement<unknown[], PetTuple> {
		const rest = `WHERE ${where} ORDER BY id LIMIT ${limit}`;
		const statement = pages.get(rest) ?? prepare(rest);
		pages.set(rest, statement);
		return statement;
	}

	return {
		getPet: (id) => {
			const row = one.get(id);
			return row && toPet(row);
		},
		listPets: ({ status, after, limit }) => {
			const rows = status
				? pageStatement(limit + 1, "status = ? AND id > ?").all(status, after)
				: pageStatement(limit + 1, "id > ?").all(after);
			const hasMore = rows.length > limit;
			if (hasMore) rows.pop();
			return { pets: rows.map(toPet), hasMore };
		},
	};
}

interface Reads {
	getPet(id: bigint): Pet | undefined;
	listPets(query: Parameters<Store["listPets"]>[0]): Awaited<ReturnType<Store["listPets"]>>;
}

function toPet([id, name, categoryId, status]: PetTuple): Pet {
	return status === null ? { id, name, categoryId } : { id, name, categoryId, status };
}

function keyRows(database: Database.Database, write: Writer["write"]): KeyRows {
	const columns = `SELECT k.*, s.last4, s.created_at_ms AS secret_created_at_ms, s.expires_at_ms
		FROM keys k JOIN secrets s ON s.key_id = k.id`;
	const byHash = database.prepare<[string], KeyColumns>(`${columns} WHERE s.hash = ?`);
	const newest = database.prepare<[], KeyColumns>(
		`${columns} WHERE s.rowid = (SELECT max(rowid) FROM secrets WHERE key_id = k.id) ORDER BY k.created_at_ms, k.rowid`,
	);
	const done = async (request: Write) => void (await write(request));
	return {
		byHash: async (hash) => {
			const row = byHash.get(hash);
			return row && toKeyRow(row);
		},
		list: async () => newest.all().map(toKeyRow),
		add: (key, secret) => done({ kind: "addKey", key, secret }),
		rotate: (keyId, secret, graceEndsAtMs) => done({ kind: "rotateKey", keyId, secret, graceEndsAtMs }),
		revoke: (keyId, nowMs) => done({ kind: "revokeKey", keyId, nowMs }),
		touch: (uses) => done({ kind: "touchKeys", uses }),
	};
}

interface KeyColumns {
	id: string;
	name: string;
	scopes: string;
	rate: string | null;
	created_at_ms: number;
	revoked_at_ms: number | null;
	last_used_at_ms: number | null;
	get_pet_used_at_ms: number | null;
	last4: string;
	secret_created_at_ms: number;
	expires_at_ms: number | null;
}

function toKeyRow(row: KeyColumns): KeyRow {
	return {
		id: row.id,
		name: row.name,
		scopes: row.scopes.split(" "),
		rate: row.rate ?? undefined,
		createdAtMs: row.created_at_ms,
		revokedAtMs: row.revoked_at_ms ?? undefined,
		lastUsedAtMs: row.last_used_at_ms ?? undefined,
		getPetUsedAtMs: row.get_pet_used_at_ms ?? undefined,
		secret: {
			last4: row.last4,
			createdAtMs: row.secret_created_at_ms,
			expiresAtMs: row.expires_at_ms ?? undefined,
		},
	};
}

interface Writer {
	/** Resolves after the commit that holds this write is on disk. */
	write(request: Write): Promise<unknown>;
	readonly queueLength: number;
	close(): Promise<void>;
}

interface Waiting {
	request: Write;
	resolve(result: unknown): void;
	reject(reason: Error): void;
}

/** Starts the writer thread. One batch is under way at a time; what arrives meanwhile becomes the next one. */
async function startWriter(file: string): Promise<Writer> {
	const worker = new Worker(new URL("./sqlite-writer.ts", import.meta.url), { workerData: { file } });
	await new Promise<void>((resolve, reject) => {
		worker.once("error", reject);
		worker.once("message", (message: WriterMessage) => {
			worker.off("error", reject);
			if (message.kind === "opened") return resolve();
			reject(
				message.kind === "refused" ? new StoreRefused(message.message) : new Error("the writer thread did not open"),
			);
		});
	});

	const waiting: Waiting[] = [];
	let committing: Waiting[] = [];

	function commitNext(): void {
		committing = waiting.splice(0, batchMax);
		if (committing.length > 0) worker.postMessage(committing.map(({ request }) => request));
	}

	worker.on("message", (message: WriterMessage) => {
		const batch = committing;
		commitNext();
		if (message.kind === "committed") {
			for (const [index, { resolve }] of batch.entries()) resolve(message.results[index]);
		} else if (message.kind === "failed") {
			for (const { reject } of batch) reject(writeError(message));
		}
	});

	return {
		write: (request) =>
			new Promise((resolve, reject) => {
				waiting.push({ request, resolve, reject });
				if (committing.length === 0) commitNext();
			}),
		get queueLength() {
			return waiting.length + committing.length;
		},
		close: () =>
			new Promise((resolve) => {
				worker.once("exit", () => resolve());
				worker.postMessage("close");
			}),
	};
}

function writeError({ code, message }: { code: string; message: string }): Error {
	const isStorage = /^SQLITE_(FULL|IOERR|BUSY|LOCKED|READONLY|CANTOPEN|NOMEM|CORRUPT)/.test(code);
	return isStorage ? new StorageUnavailable(`${code}: ${message}`) : new Error(`${code}: ${message}`);
}
