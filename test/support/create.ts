// Single creates over Node's HTTP client, and their replies, for tests and proofs that count every create.

import { type Agent, type IncomingHttpHeaders, request } from "node:http";
import type { Attempt } from "./ledger.ts";

export interface Answer {
	status: number;
	headers: IncomingHttpHeaders;
	body: string;
}

/** A create that takes some space. */
export function attempt(number: number): Attempt {
	return {
		pet: { name: `animal ${number} ${"x".repeat(100)}`, categoryId: BigInt(number) },
		idempotencyKey: undefined,
	};
}

/** The id in a 201. */
export const idOf = ({ body }: Answer) => BigInt(/^\{"id":(\d+)/.exec(body)?.[1] ?? 0);

/** Whether the service was overloaded, so that it stored nothing. */
export function isShed({ status, body }: Answer): boolean {
	return status === 503 && body.includes('"code":"overloaded"');
}

/** Sends a create. @throws Node's error if the connection fails before the reply is complete */
export function post(url: string, key: string, agent: Agent, { pet, idempotencyKey }: Attempt): Promise<Answer> {
	const { name, categoryId, status } = pet;
	const body = `{"name":${JSON.stringify(name)},"categoryId":${categoryId}${status ? `,"status":"${status}"` : ""}}`;
	const headers = {
		authorization: `Bearer ${key}`,
		"content-type": "application/json",
		"content-length": Buffer.byteLength(body),
		...(idempotencyKey && { "idempotency-key": idempotencyKey }),
	};
	return new Promise((resolve, reject) => {
		const sent = request(`${url}/v1/pets`, { method: "POST", agent, headers }, (reply) => {
			let text = "";
			reply.setEncoding("utf8").on("data", (chunk) => {
				text += chunk;
			});
			reply.on("end", () => resolve({ status: reply.statusCode ?? 0, headers: reply.headers, body: text }));
			reply.on("error", reject);
		});
		sent.on("error", reject);
		sent.end(body);
	});
}
