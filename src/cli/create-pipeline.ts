// Sends creates over one connection without waiting for the replies in between (HTTP pipelining). The service handles
// the requests of a connection in their order, and this takes a third of the CPU time of one request after another.

import type { Pool } from "undici";
import { parseJson } from "../contract/json.ts";
import { type NewPet, petJson } from "../contract/pet.ts";

/** An animal that is in the store. */
export interface Created {
	id: number | bigint;
	/** Added by an earlier request with the same Idempotency-Key. */
	isReplayed: boolean;
}

/** The outcome of one create: the animal, or the status of the reply; undefined without a reply. */
export type Attempt = { created: Created } | { created?: undefined; status: number | undefined };

export interface CreatePipeline {
	/** Sends at once. Never rejects: the caller repeats what was not created, with the same Idempotency-Key. */
	send(pet: NewPet, idempotencyKey: string): Promise<Attempt>;
	/** Closes all connections. Attempts under way end without a reply. The next `send` connects again. */
	reset(): Promise<void>;
}

export interface PipelineOptions {
	url: string;
	key: string;
	/** Only one keeps the order of the requests. */
	connections: number;
	/** Requests under way on one connection. */
	depth: number;
}

/**
 * The limit for one reply, also after Ctrl-C. If the service hangs, the client that repeats the request reports it.
 */
const replyMs = 10_000;

export async function createPipeline({ url, key, connections, depth }: PipelineOptions): Promise<CreatePipeline> {
	const undici = await import("undici");
	const base = new URL(url.replace(/(\/v1)?\/*$/, "/v1"));
	const path = `${base.pathname}/pets`;
	const headers = ["authorization", `Bearer ${key}`, "content-type", "application/json", "idempotency-key"];
	const options = { connections, pipelining: depth, headersTimeout: replyMs, bodyTimeout: replyMs };
	let pool: Pool | undefined;
	return {
		send(pet, idempotencyKey) {
			pool ??= new undici.Pool(base.origin, options);
			const { promise, resolve } = Promise.withResolvers<Attempt>();
			const request = { path, method: "POST" as const, headers: [...headers, idempotencyKey], body: petJson(pet) };
			// undici pipelines only idempotent requests. The Idempotency-Key makes this one so.
			pool.dispatch({ ...request, idempotent: true, blocking: false }, receiver(resolve));
			return promise;
		},
		async reset() {
			const closing = pool;
			pool = undefined;
			await closing?.destroy();
		},
	};
}

function receiver(resolve: (attempt: Attempt) => void) {
	let status = 0;
	let isReplayed = false;
	let text = "";
	return {
		onRequestStart() {},
		onResponseStart(_controller: unknown, statusCode: number, headers: Record<string, unknown>) {
			status = statusCode;
			isReplayed = headers["idempotency-replayed"] === "true";
		},
		onResponseData(_controller: unknown, chunk: Buffer) {
			text += chunk.toString("latin1"); // Only the id is read, which is ASCII.
		},
		onResponseEnd() {
			const id = status === 201 ? idIn(text) : undefined;
			if (id !== undefined) resolve({ created: { id, isReplayed } });
			else resolve({ status });
		},
		onResponseError() {
			resolve({ status: undefined });
		},
	};
}

function idIn(text: string): number | bigint | undefined {
	try {
		const id: unknown = Reflect.get(Object(parseJson(text)), "id");
		return typeof id === "number" || typeof id === "bigint" ? id : undefined;
	} catch {
		return undefined;
	}
}
