// A healthy node next to a node that is frozen in the middle of an edit, or whose edits wait for a lock.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { ask, callerOf } from "../support/caller.ts";
import { callWell } from "../support/command.ts";
import { databaseFor, type TestDatabase } from "../support/postgres.ts";
import { type Running, startProgram } from "../support/program.ts";
import { connect } from "../support/sql.ts";
import { until, within } from "../support/until.ts";

const animals = 12;

/** Starts nodes of a store with animals, and creates a key that may edit the animals. The last node is healthy. */
async function startNodes(context: TestContext, count: number) {
	const database = await databaseFor(context);
	const environment = { DATABASE_URL: database.url };
	const scopes = ["--scopes", "pets:read,pets:write,pets:edit"];
	const key = (await callWell(["keys", "create", "--name", "editor", ...scopes], { environment })).trim();
	const nodes = await Promise.all(Array.from({ length: count }, () => startProgram(context, environment)));
	const [lost, healthy] = [nodes[0], nodes.at(-1)] as [Running, Running];
	const caller = callerOf(healthy.url, key);
	for (let animal = 0; animal < animals; animal++) assert.equal((await caller.create()).status, 201);
	/** Renames the animals with these ids, all at the same time. */
	const edit = ({ url }: Running, seen: string, name: string, ids = all) =>
		Promise.all(
			ids.map(async (id) => {
				const body = { edits: [{ id, action: "rename", name, seen: { name: seen } }] };
				const reply = await ask(`${url}/console/edits`, { key, body });
				const { code, results } = JSON.parse(reply.body);
				return `${reply.status} ${code ?? results[0].outcome}`;
			}),
		);
	/** Sends concurrent lists, each with a different limit and so a different statement, which needs a connection. */
	const list = async () => {
		const pages = Array.from({ length: 20 }, (_, page) => caller.get(`/v1/pets?limit=${page + 1}`));
		return new Set((await Promise.all(pages)).map(({ status }) => status));
	};
	return { database, lost, healthy, caller, edit, list };
}

const all = Array.from({ length: animals }, (_, index) => index + 1);

/** Locks the row from which each edit gets its id. @returns a function that unlocks the row */
async function lockEdits(context: TestContext, { url }: TestDatabase): Promise<() => Promise<unknown>> {
	const holder = await connect(context, url);
	await holder.query("BEGIN; SELECT FROM counters WHERE name = 'edits' FOR UPDATE");
	return () => holder.end();
}

async function countSessions({ query }: TestDatabase, state: string): Promise<number> {
	const sessions = `FROM pg_stat_activity WHERE application_name = 'animal-store' AND datname = current_database()`;
	return (await query(`SELECT ${sessions} AND ${state}`)).length;
}
const isWaiting = "wait_event_type = 'Lock'";

test("a node frozen in the middle of an edit delays others' edits, and stops none", async (context) => {
	const { database, lost, healthy, caller, edit, list } = await startNodes(context, 2);
	const unlock = await lockEdits(context, database);
	const unanswered = edit(lost, "a", "lost", [1]);
	unanswered.catch(() => {}); // If the test fails, the node ends before it replies.
	await until("the edit to wait", async () => (await countSessions(database, isWaiting)) > 0);
	lost.process.kill("SIGSTOP");
	context.after(() => lost.process.kill("SIGCONT"));
	await unlock();
	const isOpen = "state = 'idle in transaction'";
	await until("the edit to hold its locks", async () => (await countSessions(database, isOpen)) > 0);
	const edits = within("the edits of the other node", edit(healthy, "a", "Max"));
	const [created, listed] = await Promise.all([caller.create(), list()]);
	assert.deepEqual([created.status, listed], [201, new Set([200])]);
	assert.deepEqual(new Set(await edits), new Set(["200 edited"]));
	lost.process.kill("SIGCONT");
	assert.deepEqual(await unanswered, ["503 storage_unavailable"], "the edit was rolled back");
	const name = async () => JSON.parse((await caller.get("/v1/pets/1")).body).name;
	assert.equal(await name(), "Max");
	assert.deepEqual(await edit(lost, "Max", "found", [1]), ["200 edited"], "the node works again");
	assert.equal(await name(), "found");
});

test("edits that wait for a lock hold a quarter of the connections; the node lists", async (context) => {
	const { database, healthy, caller, edit, list } = await startNodes(context, 1);
	const unlock = await lockEdits(context, database);
	const edits = edit(healthy, "a", "Max");
	const waiting: number[] = [];
	let isOver = false;
	const counting = until("the end of the edits", async () => {
		waiting.push(await countSessions(database, isWaiting));
		return isOver;
	});
	const read = list();
	assert.deepEqual(new Set(await edits), new Set(["503 storage_unavailable"]));
	assert.deepEqual([await read, (await caller.create()).status], [new Set([200]), 201]);
	isOver = true;
	await counting;
	assert.equal(Math.max(...waiting), 2, "of ten");
	const writes = async () => {
		const reply = await caller.get("/readyz");
		return `${reply.status} ${JSON.parse(reply.body).writes}`;
	};
	await until("the probe to fail", async () => (await writes()) === "200 failing");
	await unlock();
	await until("the probe to succeed", async () => (await writes()) === "200 working");
	assert.deepEqual(new Set(await edit(healthy, "a", "Mia")), new Set(["200 edited"]));
});
