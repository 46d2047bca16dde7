// The progress of an import: a bar on a terminal, a line every 10 seconds elsewhere.

import { createBar, secondsOf } from "./bar.ts";

const redrawEveryMs = 100;
const lineEveryMs = 10_000;
const quietMs = 5_000;

export interface Progress {
	update(done: number, rejected: number): void;
	end(): void;
}

/** @param total animals to send */
export function importProgress(total: number): Progress {
	const startedAtMs = performance.now();
	let done = 0;
	let rejected = 0;
	let changedAtMs = startedAtMs;
	const state = () => {
		const nowMs = performance.now();
		if (nowMs - changedAtMs > quietMs) return "waiting for the service";
		const rate = Math.round((done * 1000) / Math.max(1, nowMs - startedAtMs));
		return `${rate}/s${rate > 0 ? `, ${secondsOf((total - done) / rate)} left` : ""}`;
	};
	const bar = process.stderr.isTTY ? createBar() : undefined;
	const show = () => {
		if (bar) bar.draw(done, total, `${done} of ${total} | ${state()} | ${rejected} rejected`);
		else console.error(`${done} of ${total} animals sent, ${rejected} rejected, ${state()}`);
	};
	const timer = setInterval(show, bar ? redrawEveryMs : lineEveryMs);
	return {
		update(nowDone, nowRejected) {
			if (nowDone > done) changedAtMs = performance.now();
			done = nowDone;
			rejected = nowRejected;
		},
		end() {
			clearInterval(timer);
			if (bar) show();
			bar?.end();
		},
	};
}
