// The rows of a file that got no reply in an earlier import. None of them is sent. They are looked up after the others
// were sent; rows that are not found are rejected again, for a person to decide.

import { setTimeout as sleep } from "node:timers/promises";
import type { AnimalStore } from "../../client/src/index.ts";
import type { KeyInfo } from "../contract/console.ts";
import type { NewPet } from "../contract/pet.ts";
import { contentOf, lookUp, type UnknownCreate } from "../files/creates.ts";
import { describeUnknown, missingReason, unknownCreateOf } from "../files/rejected-rows.ts";
import type { FileRow } from "../files/rows.ts";
import { CommandError } from "./command-error.ts";
import { type ConnectionOptions, readConnection } from "./connection.ts";
import { type ImportReport, isOver } from "./import-send.ts";
import { countOf } from "./output.ts";

export type EarlierRows = ReturnType<typeof earlierRows>;

export function earlierRows() {
	const startedAtMs = performance.now();
	const rows: EarlierRow[] = [];
	/** The number of equal animals of other rows, by their content. */
	const others = new Map<string, number>();
	const all = () => rows.map((one) => ({ ...one, equals: one.equals + (others.get(contentOf(one.pet)) ?? 0) }));
	return {
		count: () => rows.length,
		/** Takes a row that got no reply. */
		take(row: FileRow): void {
			const create = unknownCreateOf(row);
			if (!create) return;
			rows.push({ ...create, row });
			others.set(contentOf(create.pet), 0);
		},
		/** Counts an animal of another row. */
		exclude(pet: NewPet): void {
			const before = others.get(contentOf(pet));
			if (before !== undefined) others.set(contentOf(pet), before + 1);
		},
		/** After the others were sent: counts the rows that are found, and rejects those that a person has to decide on. */
		async finish(report: ImportReport, looking: Looking): Promise<void> {
			const { reject, signal } = looking;
			if (rows.length === 0) return;
			try {
				if (report.isComplete) report.alreadyThere += await lookUpAll(all(), startedAtMs, looking);
			} catch (error) {
				report.isComplete = false;
				if (!signal.aborted) report.stoppedBy = error;
			}
			if (isOver(report.stoppedBy)) for (const one of all()) reject(one.row, describeUnknown(one));
		},
	};
}

interface Looking {
	store: AnimalStore<"bigint">;
	connection: ConnectionOptions;
	reject(row: FileRow, reason: string): void;
	signal: AbortSignal;
}

type EarlierRow = UnknownCreate & { row: FileRow };

/** @returns how many were found; others are rejected. @throws AnimalStoreError, CommandError, the signal's reason */
async function lookUpAll(
	rows: EarlierRow[],
	startedAtMs: number,
	{ store, connection, reject, signal }: Looking,
): Promise<number> {
	// Fails with the client's errors if the key is refused by now.
	await store.listPage({ limit: 1 }, { signal });
	// The earlier import had ended when this one began.
	const waitMs = startedAtMs + (await readSettlesMs(connection, signal)) - performance.now();
	if (waitMs > 0) {
		const seconds = Math.ceil(waitMs / 1000);
		console.error(`${countOf(rows.length, "row")} got no reply in an earlier import: looking them up in ${seconds} s`);
		await sleep(waitMs, undefined, { signal });
	}
	const ids = await lookUp(store, rows, { signal });
	for (const [at, one] of rows.entries()) if (ids[at] === undefined) reject(one.row, missingReason);
	return ids.filter((id) => id !== undefined).length;
}

/** How long after it was sent a create can still be stored. */
async function readSettlesMs(connection: ConnectionOptions, signal: AbortSignal): Promise<number> {
	const { url, key } = readConnection(connection);
	const address = url.replace(/(\/v1)?\/*$/, "/console/key");
	const reply = fetch(address, { headers: { authorization: `Bearer ${key}` }, signal, redirect: "error" });
	const info = (await reply.then((found) => found.json()).catch(() => ({}))) as Partial<KeyInfo>;
	if (info.createSettlesMs !== undefined) return info.createSettlesMs;
	throw new CommandError(`${address} does not say when rows can be looked up`);
}
