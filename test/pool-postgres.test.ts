// The connections of nodes to PostgreSQL: too few for all, lists of servers, poolers, and a primary that is read-only.

import assert from "node:assert/strict";
import { test } from "node:test";
import { keyFor } from "./key-for.ts";
import { listAll } from "./ledger.ts";
import { startPostgres } from "./postgres-server.ts";
import { startProgram } from "./program.ts";
import { startStatementPooler } from "./statement-pooler.ts";
import { startSteadyLoad } from "./steady-load.ts";
import { until } from "./until.ts";

test("when the server has no more connections, the reads of all nodes wait for those that their node has", async (context) => {
	const server = await startPostgres(["-c", "max_connections=9"]);
	context.after(() => server.remove());
	const url = `${server.url}/postgres`;
	const key = await keyFor(url);
	const environment = { DATABASE_URL: url };
	const nodes = [];
	for (let node = 0; node < 3; node++) nodes.push(await startProgram(context, environment));
	const headers = { authorization: `Bearer ${key}` };
	const replies = await Promise.all(
		nodes.flatMap(({ url }) =>
			Array.from({ length: 20 }, async (_, client) => {
				const statuses = [];
				// Different limits are different statements, each with a connection.
				for (let round = 0; round < 10; round++) {
					const reply = await fetch(`${url}/v1/pets?limit=${client + 1}`, { headers });
					await reply.body?.cancel();
					statuses.push(reply.status);
				}
				return statuses;
			}),
		),
	);
	assert.deepEqual(new Set(replies.flat()), new Set([200]));
});

test("behind a pooler that does not keep named statements, every create and read succeeds, and the log says so", async (context) => {
	const server = await startPostgres();
	context.after(() => server.remove());
	const url = await startStatementPooler(context, `${server.url}/postgres`);
	const key = await keyFor(url);
	const nodes = [];
	for (let node = 0; node < 2; node++) nodes.push(await startProgram(context, { DATABASE_URL: url }));
	const { ledger, stop } = startSteadyLoad(
		nodes.map(({ url }) => url),
		key,
	);
	await until("300 animals", () => ledger.acknowledged.size >= 300);
	await stop();
	ledger.verify(await listAll(nodes[0]?.url ?? "", key));
	for (const { output } of nodes) assert.match(output.stdout, /does not keep named statements.*PgBouncer 1\.21/);
});
