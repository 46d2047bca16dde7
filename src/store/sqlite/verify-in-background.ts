// Verifies a large store that was not closed by its last service, while it is already in use. Until a verification has
// found it sound, every start begins another one.

import { realpathSync } from "node:fs";
import type { StoreReport } from "../report.ts";
import { dropMark } from "./draft.ts";
import { runFileTask } from "./file-task.ts";

interface BackgroundVerification {
	file: string;
	onNotice: (text: string) => void;
	/** Called if the file is damaged. */
	onDamage: (reason: string) => void;
}

export function verifyInBackground({ file, onNotice, onDamage }: BackgroundVerification): { stop(): Promise<void> } {
	const stopped = new AbortController();
	const startedAtMs = performance.now();

	function conclude({ problems, animals }: StoreReport): void {
		if (problems.length > 0) {
			onDamage(describeDamage(file, problems));
			return;
		}
		dropMark(realpathSync(file));
		const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
		onNotice(`${file} is sound: ${animals} animals were verified in ${seconds} s`);
	}

	onNotice(`${file} was not closed by its last service: it is verified in the background`);
	const done = runFileTask("verify", { file }, { signal: stopped.signal }).then(conclude, (error: Error) => {
		if (!stopped.signal.aborted)
			onNotice(`${file} could not be verified, so the next start tries again: ${error.message}`);
	});
	return {
		stop() {
			stopped.abort();
			return done;
		},
	};
}

function describeDamage(file: string, [problem]: string[]): string {
	return (
		`${file} is damaged (${problem}): writes are rejected; stop the service, then run animal-store restore BACKUP ` +
		`--to ${file} --force; animal-store verify ${file} lists what is wrong`
	);
}
