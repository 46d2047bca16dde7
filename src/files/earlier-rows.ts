// Looks, before anything is sent, for rows that the import of another file has added in the last 24 hours: the file may
// be a corrected one, or two animals may have equal rows. So a person decides. Once any row of the file itself was
// added, the person has decided.

import { describeTime, type EarlierRow, type EarlierRows } from "../contract/console.ts";
import type { AskConsole } from "./categories.ts";
import type { ImporterOptions } from "./importer.ts";
import { createRowKeys, type RowKey } from "./row-keys.ts";
import type { FileRow } from "./rows.ts";
import { mayBeAnimal } from "./values.ts";

/** The rows of another import. */
export interface EarlierFound {
	/** The number of rows. */
	rows: number;
	/** How many of them have the id of an earlier row, and other values. */
	different: number;
	/** The first rows. */
	first: FileRow[];
	/** What is known of the first row's import; undefined if there is nothing to decide. */
	from: EarlierRow | undefined;
}

/** So many keys fit into the body of a request. */
const askedRows = 500;
const shownRows = 5;
export const roundsMax = 1000;

/**
 * @param options those of the import; rows that a person has to confirm are looked for, too
 * @throws the errors of `ask`, and of reading the file
 */
export async function findEarlier(
	{ rows, file, hash, round, isWanted = () => true }: Omit<ImporterOptions, "onSettled">,
	ask: AskConsole,
	signal?: AbortSignal,
): Promise<EarlierFound> {
	const found: EarlierFound = { rows: 0, different: 0, first: [], from: undefined };
	let isDecided = false;
	const keyOf = createRowKeys(hash, round);
	let batch: { row: FileRow; key: RowKey }[] = [];
	const result = (): EarlierFound => (isDecided ? { ...found, from: undefined } : found);
	/** @returns whether further rows may be there */
	async function look(): Promise<boolean> {
		if (batch.length === 0) return true;
		const body = JSON.stringify({ rows: batch.map(({ key }) => key) });
		const reply = ask("/console/imports/rows", { body, signal }).catch((error) => {
			if (Object(error).status !== 404) throw error;
			return { results: [], isNone: true }; // The service is older than this program.
		});
		const { results, isNone } = (await reply) as EarlierRows;
		for (const [at, result] of results.entries()) {
			isDecided ||= result?.digest === file.digest;
			if (!result?.atMs) continue;
			found.rows++;
			if (result.outcome === "different") found.different++;
			found.from ??= { ...result, atMs: Number(result.atMs) };
			if (found.first.length < shownRows) found.first.push((batch[at] as (typeof batch)[0]).row);
		}
		batch = [];
		return !isNone && !isDecided;
	}
	for await (const piece of rows)
		for (const row of piece) {
			if (!isWanted(row) || !(row.pet || mayBeAnimal(row))) continue;
			batch.push({ row, key: keyOf(row) });
			if (batch.length === askedRows && !(await look())) return result();
		}
	await look();
	return result();
}

/** The next round in which none of the rows is there. @param find searches with the keys of a round */
export async function nextRound(last: number, find: (round: number) => Promise<EarlierFound>): Promise<number> {
	let round = last + 1;
	while (round < roundsMax && (await find(round)).from) round++;
	return round;
}

/**
 * Such as `added today at 14:05 by front desk from list.csv`.
 * @param own the digest of the file that is imported, to tell that it was imported before
 */
export function describeEarlier({ atMs, by, file, digest }: EarlierRow, own?: string): string {
	const when = describeTime(atMs, Date.now());
	const who = by === undefined ? "" : ` by ${by}`;
	if (digest !== undefined && digest === own) return `this file was imported ${when}${who}`;
	return `added ${when}${who}${file === undefined ? "" : ` from ${file}`}`;
}
