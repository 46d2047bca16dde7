// Clients that read until they are stopped.

import type { Reply } from "./wire.ts";

/** @param read sends one request; `place` is the client's number, from 0 */
export function startReaders(clients: number, read: (place: number) => Promise<Reply>) {
	const statuses: Record<number, number> = {};
	const reading = { statuses, requests: 0, slowestMs: 0, stop };
	let isStopped = false;
	async function client(place: number): Promise<void> {
		for (; !isStopped; reading.requests++) {
			const sentAtMs = performance.now();
			const { status } = await read(place);
			reading.slowestMs = Math.max(reading.slowestMs, performance.now() - sentAtMs);
			statuses[status] = (statuses[status] ?? 0) + 1;
		}
	}
	const work = Promise.all(Array.from({ length: clients }, (_, place) => client(place)));
	work.catch(() => {});
	/** Stops the clients. @throws the error of a client whose read failed */
	async function stop(): Promise<void> {
		isStopped = true;
		await work;
	}
	return reading;
}
