// The progress of work on the file of a store: a bar on a terminal, nothing elsewhere.

import type { OnProgress } from "../store/report.ts";

const redrawEveryMs = 200;

/** Shows a bar while the work runs, and removes it. */
export async function withProgress<Result>(work: (onProgress: OnProgress) => Promise<Result>): Promise<Result> {
	if (!process.stderr.isTTY) return work(() => {});
	const { default: cliProgress } = await import("cli-progress");
	const bar = new cliProgress.SingleBar({
		format: "{what} {bar} {percentage}% | {duration_formatted}",
		stream: process.stderr,
		barsize: 30,
		clearOnComplete: true,
		gracefulExit: false,
	});
	bar.start(1, 0, { what: "starting" });
	// The time goes on while a step that cannot be measured takes long.
	const redrawing = setInterval(() => bar.updateETA(), redrawEveryMs);
	try {
		return await work(({ what, done, total }) => {
			bar.setTotal(Math.max(total, 1));
			bar.update(Math.min(done, Math.max(total, 1)), { what });
		});
	} finally {
		clearInterval(redrawing);
		bar.stop();
	}
}
