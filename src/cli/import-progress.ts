// The progress of an import: a bar on a terminal, a line every 10 seconds elsewhere.

import { createBar } from "./long-work.ts";

const lineEveryMs = 10_000;
const quietMs = 5_000;

export interface Progress {
	update(done: number, rejected: number): void;
	end(): void;
}

/** @param total animals to send */
export async function importProgress(total: number): Promise<Progress> {
	const startedAtMs = performance.now();
	let done = 0;
	let rejected = 0;
	let changedAtMs = startedAtMs;
	const state = () => {
		const nowMs = performance.now();
		if (nowMs - changedAtMs > quietMs) return "waiting for the service";
		const rate = Math.round((done * 1000) / Math.max(1, nowMs - startedAtMs));
		return `${rate}/s${rate > 0 ? `, ${Math.ceil((total - done) / rate)} s left` : ""}`;
	};
	const draw = process.stderr.isTTY ? await bar(total) : lines(total);
	const timer = setInterval(() => draw.show(done, rejected, state()), draw.everyMs);
	return {
		update(nowDone, nowRejected) {
			if (nowDone > done) changedAtMs = performance.now();
			done = nowDone;
			rejected = nowRejected;
		},
		end() {
			clearInterval(timer);
			draw.end(done, rejected, state());
		},
	};
}

async function bar(total: number) {
	const drawn = await createBar("{bar} {percentage}% | {value} of {total} | {state} | {rejected} rejected");
	drawn.start(total, 0, { state: "", rejected: 0 });
	const show = (done: number, rejected: number, state: string) => drawn.update(done, { rejected, state });
	return {
		everyMs: 100,
		show,
		end(done: number, rejected: number, state: string) {
			show(done, rejected, state);
			drawn.stop();
		},
	};
}

function lines(total: number) {
	const show = (done: number, rejected: number, state: string) =>
		console.error(`${done} of ${total} animals sent, ${rejected} rejected, ${state}`);
	return { everyMs: lineEveryMs, show, end: () => {} };
}
