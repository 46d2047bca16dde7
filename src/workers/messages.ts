// What the primary process and its workers tell and ask each other.

import type { ChildProcess } from "node:child_process";
import type { Counts } from "../ops/activity.ts";
import type { Readings } from "../ops/summed-metrics.ts";
import type { Store, WriteState } from "../store/store.ts";

export type StopWrites = Parameters<Store["stopWrites"]>;

/** What a worker needs to know before it starts. */
export interface Start {
	port: number;
	isLead: boolean;
	/** Identifies the service for the console. */
	node: string;
	logLevel: string;
	isOnTerminal: boolean;
	/** Why writes have stopped already. */
	stopped: StopWrites | undefined;
}

/** What a worker tells when it serves. */
export interface Serving {
	url: string;
}

export type ToWorker =
	| { kind: "start"; start: Start }
	| { kind: "stop"; graceMs: number }
	| { kind: "logLevel"; level: string }
	| { kind: "stopWrites"; cause: StopWrites };

export type ToPrimary =
	| { kind: "serving"; serving: Serving }
	/** It cannot start. */
	| { kind: "refused"; sentences: string[] }
	| { kind: "stopWrites"; cause: StopWrites };

/** The questions, each with its answer. */
export interface Answers {
	/** Its own of a worker, those of all of the primary. */
	counts: Counts;
	readings: Readings;
	/** Undefined if the worker cannot read. */
	ready: WriteState | undefined;
	writes: WriteState;
	/** Refuses new connections. */
	stopListening: true;
	/** Of the lead, which issues the first key if the store has none. */
	firstKey: string | undefined;
}

export type Replies = { [Name in keyof Answers]?: () => Answers[Name] | Promise<Answers[Name]> };

type Asking = { kind: "ask"; id: number; question: keyof Answers };
type Answering = { kind: "answer"; id: number; answer?: unknown; failure?: string };

export interface Channel<Told> {
	/** Does nothing if the peer is gone. */
	tell(message: Told): void;
	/** @throws Error if the peer is gone, or has no answer */
	ask<Name extends keyof Answers>(question: Name): Promise<Answers[Name]>;
	/** The peer is gone. */
	close(): void;
}

/** @param peer a worker as the primary has it, or the process of a worker, whose peer is the primary */
export function openChannel<Told extends object, Heard extends { kind: string }>(
	peer: ChildProcess | NodeJS.Process,
	replies: Replies,
	hear: (message: Heard) => void,
): Channel<Told> {
	const waiting = new Map<number, PromiseWithResolvers<never>>();
	let count = 0;
	const send = (message: object) => void peer.send?.(message, undefined, undefined, () => {});

	async function reply({ id, question }: Asking): Promise<void> {
		try {
			send({ kind: "answer", id, answer: await replies[question]?.() } satisfies Answering);
		} catch (error) {
			send({ kind: "answer", id, failure: String(error) } satisfies Answering);
		}
	}

	function settle({ id, answer, failure }: Answering): void {
		const asked = waiting.get(id);
		waiting.delete(id);
		if (failure === undefined) asked?.resolve(answer as never);
		else asked?.reject(new Error(failure));
	}
	const listen = (message: { kind: string }) => {
		if (message.kind === "ask") void reply(message as Asking);
		else if (message.kind === "answer") settle(message as Answering);
		else hear(message as Heard);
	};
	(peer as ChildProcess).on("message", listen);

	return {
		tell: send,
		ask(question) {
			const id = count++;
			const asked = Promise.withResolvers<never>();
			waiting.set(id, asked);
			send({ kind: "ask", id, question } satisfies Asking);
			return asked.promise;
		},
		close() {
			for (const { reject } of waiting.values()) reject(new Error("the other process has ended"));
			waiting.clear();
		},
	};
}
