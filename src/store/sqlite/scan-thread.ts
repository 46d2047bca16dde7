// The thread that reads many animals, for searches and counts. Its connection is read-only, and no read transaction
// lasts longer than one statement: a longer one would keep the WAL from being moved into the file.

import { parentPort, workerData } from "node:worker_threads";
import { foldedText } from "../../contract/equal-texts.ts";
import type { Row, Statement } from "../tables.ts";
import { busyTimeoutMs, connect } from "./file.ts";
import { rowsOf } from "./transaction.ts";

/** What the thread is started with. `left[0]` is 1 if nobody waits for the statement that runs. */
export interface ScanData {
	file: string;
	left: Int32Array;
}

export type ScanMessage = { rows: Row[] } | { code: string; message: string };

/** Folded letters of Latin, Greek, Cyrillic and other scripts, by code; undefined for letters that may combine. */
const foldLetters = () =>
	Array.from({ length: 0x3000 }, (_, code) => {
		const folded = foldedText(String.fromCharCode(code));
		return /[\p{M}\u1100-\u11ff]/u.test(folded) ? undefined : folded;
	});

/** Computed by the first search, because this takes 20 ms. */
let foldedLetters: ReturnType<typeof foldLetters> | undefined;

/** Same as `foldedText`, but five times as fast for names that have only `foldedLetters`. */
export function fold(text: string): string {
	foldedLetters ??= foldLetters();
	let folded = "";
	for (let index = 0; index < text.length; index++) {
		const letter = foldedLetters[text.charCodeAt(index)];
		if (letter === undefined) return foldedText(text);
		folded += letter;
	}
	return folded;
}

if (parentPort) run(parentPort, workerData);

function run(port: NonNullable<typeof parentPort>, { file, left }: ScanData): void {
	const database = connect(file, { readonly: true, fileMustExist: true, timeout: busyTimeoutMs });
	database.function("fold", { deterministic: true, directOnly: true }, fold);
	database.function("is_wanted", { directOnly: true }, () => {
		if (Atomics.load(left, 0) === 1) throw new Error("nobody waits for this search");
		return 1;
	});
	const attempt = (statement: Statement): ScanMessage => {
		try {
			return { rows: rowsOf(database, statement) };
		} catch (error) {
			const { code = "", message } = error as NodeJS.ErrnoException;
			return { code, message };
		}
	};
	port.on("message", (statement: Statement | "close") => {
		if (statement !== "close") return port.postMessage(attempt(statement));
		database.close();
		port.close();
	});
}
