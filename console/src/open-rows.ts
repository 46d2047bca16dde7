// The rows of a file that are not settled yet. An unknown outcome belongs to the API key that sent the row: rows that
// cannot be repeated are looked up, and a person decides about those that are not found.

import { ApiError } from "../../client/src/index.ts";
import type { Pet } from "../../src/contract/pet.ts";
import type { Fault } from "../../src/contract/validate.ts";
import { addedPets } from "../../src/files/creates.ts";
import type { FileKind, Source } from "../../src/files/formats.ts";
import { describeUnknown, missingReason, rejectedRow, unknownCreateOf } from "../../src/files/rejected-rows.ts";
import { type FileRow, type ReadOptions, readRows, type Texts, textsOf } from "../../src/files/rows.ts";
import { describeFault } from "./fault-text.ts";
import { type Lost, lookUpLost, mayRepeat, newestIdFor, type Sender } from "./look-up.ts";

/** A file that was read, and how to read its rows. */
export interface PetFile {
	name: string;
	source: Source;
	kind: FileKind;
	options: ReadOptions;
}

export interface Rejected {
	row: FileRow;
	faults: Fault[];
}

/** Why a row was rejected, in words for people. */
export function describeRow({ row, faults }: Rejected, { mapping }: ReadOptions): string {
	const texts = textsOf(row.given, mapping);
	return faults.map((fault) => describeFault(fault, texts[fault.field as keyof Texts] ?? "")).join("; ");
}

/** It in the format of the file, with line and reason. @param isFirst see `rejectedRow` */
export function rejectedText(rejected: Rejected, { kind, options }: PetFile, isFirst: boolean): string {
	return rejectedRow(rejected.row, describeRow(rejected, options), kind, isFirst);
}

export interface OpenRow {
	row: FileRow;
	/** When it was first sent, in milliseconds since 1970. */
	sentAtMs: number;
	/** The newest id that was known before. */
	after: bigint | undefined;
	lost?: Lost;
	/** Counts how often a person had it sent again: each time is another create, also for the same key. */
	turn: number;
}

export function openRows(file: PetFile) {
	const rows = unsentRows(file);
	let waiting: OpenRow[] = [];
	const underWay = new Set<OpenRow>();
	let added: ReturnType<typeof addedPets> | undefined;
	let turns = 0;

	return {
		/** To be called before rows are taken. @throws TooEarly, AnimalStoreError, the signal's reason */
		async lookUp(sender: Sender, signal: AbortSignal): Promise<{ found: number; undecided: Rejected[] }> {
			const newest = () => newestIdFor(sender, sender.patientStore, signal);
			added ??= addedPets(await newest());
			const lost = waiting.flatMap(({ row, after, lost }) =>
				row.pet && lost ? [{ row, pet: row.pet, after, lost }] : [],
			);
			if (lost.every((one) => mayRepeat(sender, one.lost))) return { found: 0, undecided: [] };
			const creates = added.toUnknown(lost);
			const ids = await lookUpLost(sender, creates, signal);
			added = addedPets(await newest());
			waiting = waiting.filter((open) => !open.lost);
			const missing = creates.filter((_, at) => ids[at] === undefined);
			const faults = [{ field: undefined, problem: missingReason }];
			return { found: lost.length - missing.length, undecided: missing.map(({ row }) => ({ row, faults })) };
		},
		/** The next row to send: first those that were put back. */
		async take(): Promise<OpenRow | undefined> {
			const next = waiting.shift() ?? (await rows.next()).value;
			if (!next) return undefined;
			const open = next.lost ? next : { ...next, sentAtMs: Date.now(), after: added?.newest() };
			underWay.add(open);
			return open;
		},
		/** An animal of these rows is in the store. */
		add: (pet: Pet) => added?.add(pet),
		settle(open: OpenRow): void {
			underWay.delete(open);
			added?.forget([...underWay, ...waiting]);
		},
		/** @param failure undefined if it was not sent */
		putBack(open: OpenRow, keyId: string, failure?: unknown): void {
			underWay.delete(open);
			const isUnknown = failure !== undefined && (!(failure instanceof ApiError) || failure.isUnsettled);
			const lost = { keyId, sentAtMs: open.sentAtMs, failedAtMs: Date.now() };
			waiting.push(isUnknown ? { ...open, lost } : open);
		},
		/** Puts rows back that a person wants to be sent. */
		sendAgain(undecided: readonly Rejected[]): void {
			turns++;
			waiting.unshift(...undecided.map(({ row }) => unsent(row, turns)));
		},
	};
}

const unsent = (row: FileRow, turn = 0): OpenRow => ({ row, turn, sentAtMs: 0, after: undefined });

async function* unsentRows(file: PetFile): AsyncGenerator<OpenRow, undefined> {
	for await (const rows of readPetFile(file)) for (const row of rows) yield unsent(row);
}

/** The rows in batches. Those that got no reply in an import of the command are refused: only that looks them up. */
export async function* readPetFile({ source, kind, options }: Omit<PetFile, "name">): AsyncGenerator<FileRow[]> {
	const refused = (row: FileRow): FileRow => {
		const create = unknownCreateOf(row);
		if (!create) return row;
		return { ...row, pet: undefined, faults: [{ field: undefined, problem: describeUnknown(create) }] };
	};
	for await (const rows of readRows(source, kind, options)) yield rows.map(refused);
}
