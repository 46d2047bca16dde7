// One worker as the primary process has it, from its start to its end.

import cluster from "node:cluster";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import {
	type Answers,
	openChannel,
	type Replies,
	type Serving,
	type StopWrites,
	type ToPrimary,
	type ToWorker,
} from "./messages.ts";

/** Longer than a worker's own probe of its store. */
const answerMaxMs = 2500;

export interface ForkedWorker {
	readonly pid: number | undefined;
	readonly isServing: boolean;
	/** On the monotonic clock; undefined if it never served. */
	readonly servesSinceMs: number | undefined;
	/** Rejects if it ends before. */
	readonly serving: Promise<Serving>;
	/** Resolves with the cause. */
	readonly ended: Promise<string>;
	/** Its latest answers. */
	readonly answers: Partial<Answers>;
	tell(message: ToWorker): void;
	/** @throws Error if it does not answer in time */
	ask<Name extends keyof Answers>(question: Name): Promise<Answers[Name]>;
	kill(): void;
}

export interface ForkOptions {
	/** Passes the lines of its log on. */
	pass: (from: NodeJS.ReadableStream) => void;
	replies: Replies;
	refusal: (sentences: string[]) => Error;
	onStopWrites: (cause: StopWrites) => void;
}

export function forkWorker({ pass, replies, refusal, onStopWrites }: ForkOptions): ForkedWorker {
	const hasColors = process.stdout.isTTY && process.stdout.hasColors();
	const { process: child } = cluster.fork(hasColors ? { FORCE_COLOR: "1" } : {});
	const serving = Promise.withResolvers<Serving>();
	serving.promise.catch(() => {});
	const answers: Partial<Answers> = {};
	let servesSinceMs: number | undefined;
	let hasEnded = false;
	let sentences: string[] | undefined;
	const channel = openChannel<ToWorker, ToPrimary>(child, replies, (message) => {
		if (message.kind === "stopWrites") return onStopWrites(message.cause);
		if (message.kind === "refused") {
			sentences = message.sentences;
			return;
		}
		servesSinceMs = performance.now();
		serving.resolve(message.serving);
	});
	if (child.stdout) pass(child.stdout);

	async function end(): Promise<string> {
		const [code, signal] = await once(child, "close");
		hasEnded = true;
		channel.close();
		const cause = signal ?? `exit code ${code}`;
		serving.reject(refusal(sentences ?? [`a worker could not start: it ended with ${cause}`]));
		return sentences?.join(" ") ?? cause;
	}

	return {
		pid: child.pid,
		get isServing() {
			return servesSinceMs !== undefined && !hasEnded;
		},
		get servesSinceMs() {
			return servesSinceMs;
		},
		serving: serving.promise,
		ended: end(),
		answers,
		tell: channel.tell,
		async ask(question) {
			const late = sleep(answerMaxMs, undefined, { ref: false }).then(() => Promise.reject(new Error("no answer")));
			const answer = await Promise.race([channel.ask(question), late]);
			answers[question] = answer;
			return answer;
		},
		kill: () => void child.kill("SIGKILL"),
	};
}
