// `animal-store keys …`, used while the service runs.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { test } from "node:test";
import { hashOfKey, isWellFormedKey } from "../../src/keys/formats.ts";
import { createKey, revokeKey, rotateKey } from "../../src/keys/issue.ts";
import { type KeyRows, StorageUnavailable } from "../../src/store/store.ts";
import { ask } from "../support/caller.ts";
import { call, callWell } from "../support/command.ts";
import { startProgram } from "../support/program.ts";
import { temporaryFolder, temporaryStore } from "../support/service.ts";
import { withStore } from "../support/store-reads.ts";
import { until } from "../support/until.ts";

const statusWith = async (url: string, key: string) => (await ask(`${url}/v1/pets`, { key })).status;

test("a key can be created, listed, rotated with grace and revoked while the service runs", async (context) => {
	const environment = { DATABASE_URL: temporaryStore(context) };
	const { url } = await startProgram(context, environment);
	const keys = (...parameters: string[]) => call(["keys", ...parameters], { environment });
	const list = async () => JSON.parse((await keys("list", "--json")).stdout);

	assert.deepEqual(await list(), []);
	const options = ["--name", "shop", "--scopes", "pets:read, pets:read", "--expires", "90d", "--rate", "100000/1m"];
	const created = await keys("create", ...options);
	assert.equal(created.code, 0);
	assert.match(created.stdout, /^pets_[0-9A-Za-z]{49}\n$/, "only the key is on stdout");
	const key = created.stdout.trim();
	assert.ok(isWellFormedKey(key));

	const [row] = await list();
	const { id, created: createdAt, expires, ...shown } = row;
	const given = { name: "shop", state: "working", last4: key.slice(-4), scopes: ["pets:read"], rate: "100000/1m" };
	assert.deepEqual(shown, { ...given, revoked: null, lastUsed: null, getPetLastUsed: null });
	assert.match(id, /^key_[0-9A-Za-z]{11}$/);
	assert.equal(Date.parse(expires) - Date.parse(createdAt), 90 * 86_400_000);
	assert.equal(await statusWith(url, key), 200);
	const [head = "", line = ""] = (await keys("list")).stdout.split("\n");
	assert.match(head, /^id +name +state +last4 +scopes +rate +expires +used +getPet$/);
	const cells = `${id}  shop  working  ${given.last4}   pets:read  100000/1m  ${expires.slice(0, 16)}Z  `;
	assert.ok(line.startsWith(cells) && line.endsWith(" -"), line);

	const rotated = (await keys("rotate", id, "--grace", "1h")).stdout.trim();
	assert.notEqual(rotated, key);
	for (const secret of [rotated, key]) assert.equal(await statusWith(url, secret), 200, "both in the grace period");
	const last = (await keys("rotate", id, "--grace", "1s")).stdout.trim();
	await stopsWorking(url, rotated);
	assert.equal(await statusWith(url, last), 200);

	const revoked = await keys("revoke", id);
	assert.deepEqual([revoked.code, revoked.stdout], [0, ""]);
	await stopsWorking(url, last);
	const [{ state, last4 }] = await list();
	assert.deepEqual([state, last4], ["revoked", last.slice(-4)]);
	assert.match((await keys("rotate", id)).stderr, /is revoked: create a new key/);
});

test("the list shows the latest use of each key, whichever operation it was", async (context) => {
	const environment = { DATABASE_URL: temporaryStore(context) };
	await withStore(environment.DATABASE_URL, async ({ keys }) => {
		const issuer = { rows: keys, now: () => 0, random: randomBytes };
		for (const [first, last] of [
			["getPet", "listPets"],
			["listPets", "getPet"],
		] as const) {
			const { id: keyId } = await createKey(issuer, { name: "a", scopes: ["pets:read"], expiresInMs: 3000 });
			const use = { keyId, operation: first, usedAtMs: 1000 };
			await keys.touch([use, { keyId, operation: last, usedAtMs: 2000 }]);
		}
	});
	const listed = await callWell(["keys", "list", "--json"], { environment });
	assert.equal(listed.match(/"lastUsed": "1970-01-01T00:00:02.000Z"/g)?.length, 2);
	assert.equal(listed.match(/"state": "expired"/g)?.length, 2);
});

test("a rotated key gets its whole lifetime again, and its old secret works for a day", async (context) => {
	const environment = { DATABASE_URL: temporaryStore(context) };
	const day = 86_400_000;
	let nowMs = Date.now() - 30 * day;
	const lengths: number[] = [];
	const random = (bytes: number) => randomBytes(lengths.push(bytes) && bytes);
	const secretOf = (key: string) =>
		withStore(environment.DATABASE_URL, async ({ keys }) => (await keys.findByHash(hashOfKey(key)))?.secret);
	const { id, rotated, eternal } = await withStore(environment.DATABASE_URL, async ({ keys }) => {
		const issuer = { rows: keys, now: () => nowMs, random };
		const { id } = await createKey(issuer, { name: "a", scopes: ["pets:read"], expiresInMs: 90 * day });
		const eternal = await createKey(issuer, { name: "b", scopes: ["pets:read"] });
		nowMs += 29 * day;
		return { id, rotated: await rotateKey(issuer, id, 1000), eternal: await rotateKey(issuer, eternal.id, 1000) };
	});
	assert.deepEqual(lengths.slice(-2), [32, 32], "as many random bytes as a new key has");
	const unlimited = await secretOf(eternal);
	assert.ok(unlimited && unlimited.expiresAtMs === undefined, "a key without expiry still has none");
	const fresh = await secretOf(rotated);
	assert.equal(fresh?.expiresAtMs, nowMs + 90 * day);
	const beganAtMs = Date.now();
	const again = await secretOf((await callWell(["keys", "rotate", id], { environment })).trim());
	const lifetimeMs = (again?.expiresAtMs ?? 0) - beganAtMs;
	assert.ok(lifetimeMs >= 90 * day && lifetimeMs < 91 * day, "not the time since the key was created");
	const endsAtMs = (await secretOf(rotated))?.expiresAtMs ?? 0;
	assert.ok(endsAtMs >= beganAtMs + day && endsAtMs <= Date.now() + day, `${endsAtMs - beganAtMs} ms`);
	const fail = () => Promise.reject(new StorageUnavailable("down"));
	const rows = { list: async () => [{ id: "a", secret: {} }], add: fail, rotate: fail, revoke: fail };
	const issuer = { rows: rows as unknown as KeyRows, now: () => nowMs, random };
	const changes = [createKey(issuer, { name: "a", scopes: [] }), rotateKey(issuer, "a", 0), revokeKey(issuer, "a")];
	const outcomes = (await Promise.allSettled(changes)).map(({ status }) => status);
	assert.deepEqual(outcomes, Array(3).fill("rejected"), "no change is reported that is not stored");
});

/** Waits until the service refuses the key. src/keys/key-check.test.ts measures how long a node trusts a key. */
const stopsWorking = (url: string, key: string) =>
	until("the key to be refused", async () => (await statusWith(url, key)) === 401, { everyMs: 50 });

test("--json prints the results of commands for programs", async (context) => {
	const folder = temporaryFolder(context);
	const databaseUrl = `sqlite:${join(folder, "animals.db")}`;
	const json = async (...parameters: string[]) => {
		const { stdout, stderr, code } = await call([...parameters, "--json"]);
		assert.deepEqual([code, stderr.replace(/^created a new store: .*\n|^in sqlite:.*\n/gm, "")], [0, ""]);
		return JSON.parse(stdout);
	};
	const store = ["--database-url", databaseUrl];
	const { id, key } = await json("keys", "create", "--name", "a", ...store);
	assert.ok(isWellFormedKey(key));
	assert.deepEqual((await json("keys", "list", ...store))[0].scopes, ["pets:read", "pets:write", "metrics:read"]);
	assert.ok(isWellFormedKey((await json("keys", "rotate", id, ...store)).key));
	assert.deepEqual(await json("keys", "revoke", id, ...store), { id, state: "revoked" });
	assert.ok(isWellFormedKey((await json("keys", "generate")).key));
	const [backup, restored] = [join(folder, "backup.db"), join(folder, "restored.db")];
	assert.deepEqual(await json("backup", backup, ...store), { animals: 0, file: backup });
	assert.deepEqual(await json("restore", backup, "--to", restored), { animals: 0, backup });
});

test("--help explains every command", async () => {
	const names = `serve, config, copy, backup, restore, verify, import, export, audit, audit list, pets, pets list,
		pets find, pets create, pets get, pets set-status, pets rename, pets remove, pets erase-names, keys, keys create, keys list,
		keys rotate, keys revoke, keys generate`;
	const commands = [[], ...names.split(/,\s*/).map((command) => command.split(" "))];
	for (const parameters of commands) {
		const { code, stdout } = await call([...parameters, "--help"]);
		assert.equal(code, 0);
		const called = ["animal-store", ...parameters].join(" ");
		assert.ok(stdout.startsWith(`Usage: ${called} `), stdout);
		const examples = stdout.split("\nExamples:\n")[1]?.trim().split("\n") ?? [];
		for (const term of stdout.match(/^ {2}[-a-z<].*$/gm) ?? [])
			assert.match(term, /^ {2}\S+( \S+)* {2,}\S|^ {2}animal-store/, "described");
		assert.equal(stdout.includes("\nArguments:\n"), /^Usage:.* [<[](id|file|backup|url|text)/.test(stdout), called);
		for (const example of examples) assert.ok(example.trim().startsWith(called), example);
		if (/^(pets (list|create)|import|export)$/.test(parameters.join(" "))) assert.ok(examples.length > 0, called);
	}
	const groups = /animals of a running service.* pets .* import .* export .*service and its store.* serve/s;
	assert.match((await call(["help"])).stdout, groups);
	assert.match((await call(["-V"])).stdout, /^\d+\.\d+\.\d+\n$/);
});
