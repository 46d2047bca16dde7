// Single creates and their replies, for tests and proofs that count every create.

import type { Agent } from "node:http";
import { petStatuses } from "../../src/contract/pet.ts";
import { type Ask, ask } from "./caller.ts";
import type { Attempt, Ledger } from "./ledger.ts";
import type { Reply } from "./wire.ts";

/** A create with a long name, so that it fills space, a large category id, and one of the statuses or none. */
export function attempt(number: number): Attempt {
	const status = petStatuses[number % 4];
	const name = `animal ${number} 🐾 ${"x".repeat(100)}`;
	const categoryId = BigInt(number) * 2n ** 32n - 2n ** 62n;
	return { pet: { name, categoryId, ...(status && { status }) }, idempotencyKey: undefined };
}

export const idOf = ({ body }: Reply) => BigInt(/^\{"id":(\d+)/.exec(body)?.[1] ?? 0);

/** Whether the service refused the create because it was overloaded, and so stored nothing. */
export function isShed({ status, body }: Reply): boolean {
	return status === 503 && body.includes('"code":"overloaded"');
}

/** Sends a create. @throws Node's error if the connection fails before the reply is complete */
export function post(url: string, key: string, agent: Agent, { pet, idempotencyKey }: Attempt): Promise<Reply> {
	const { name, categoryId, status } = pet;
	const body = `{"name":${JSON.stringify(name)},"categoryId":${categoryId}${status ? `,"status":"${status}"` : ""}}`;
	const headers: Ask["headers"] = idempotencyKey ? { "idempotency-key": idempotencyKey } : {};
	return ask(`${url}/v1/pets`, { key, agent, body, headers });
}

/** Sends a create, and records its outcome in the ledger. @returns the reply; undefined if the connection broke */
export async function record(ledger: Ledger, url: string, key: string, agent: Agent, mine: Attempt) {
	ledger.lose(mine);
	const answer = await post(url, key, agent, mine).catch(() => undefined);
	if (answer?.status === 201) ledger.acknowledge(mine, idOf(answer));
	return answer;
}
