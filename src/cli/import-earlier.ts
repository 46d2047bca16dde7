// Rows that another file has added: the command shows them and asks before it sends anything.

import { hash } from "node:crypto";
import { basename } from "node:path";
import { digestDigits } from "../contract/console.ts";
import type { AskConsole } from "../files/categories.ts";
import { describeEarlier, findEarlier, nextRound } from "../files/earlier-rows.ts";
import { exampleOf, type FileRow, type ReadOptions, readRows } from "../files/rows.ts";
import { explainFileError, type ImportFile } from "./import-file.ts";
import type { Checked } from "./import-report.ts";
import { countOf } from "./output.ts";

/** Asks what to do with rows that another file added. @throws ApiError, NoReply, CommandError */
export async function askEarlier(
	file: ImportFile,
	checked: Checked,
	options: ReadOptions,
	again: number,
	ask: AskConsole,
	signal: AbortSignal,
): Promise<void> {
	const find = (round: number) =>
		findEarlier(rowsToSend(file, { repeated: checked.repeated, options }, round), ask, signal).catch((error) => {
			throw explainFileError(error, file.name);
		});
	const { rows, different, first, from } = await find(again);
	if (!from) return;
	const all = checked.animals + checked.unclear;
	const there = `${rows === 1 ? "is" : "are"} already there`;
	const changed = different > 0 ? `, ${different} of them with other values under their id` : "";
	const examples = first.map((row) => exampleOf(row, options)).join(", ");
	checked.questions.push({
		text:
			`${rows} of ${countOf(all, "row")} ${there} (${examples}), ${describeEarlier(from)}${changed}; ` +
			`--again ${await nextRound(again, find)} adds them once more`,
		flags: ["--skip-existing"],
	});
}

/** How the importer gets the rows: the same for the search and for the import. */
export function rowsToSend(
	file: ImportFile,
	{ repeated, options }: { repeated: ReadonlySet<number>; options: ReadOptions },
	round: number,
) {
	return {
		rows: readRows(file.source, file.kind, options),
		file: { file: basename(file.name).slice(-255), digest: file.digest.slice(0, digestDigits) },
		hash: (text: string) => hash("sha256", text),
		round,
		isWanted: ({ number }: FileRow) => !repeated.has(number),
	};
}
