// The second yardstick: the same HTTP side over a store that makes each create a transaction of its own. Argument: a file.

import { randomBytes } from "node:crypto";
import Database from "better-sqlite3";
import pino from "pino";
import { scopes } from "../src/contract/operations.ts";
import type { NewPet } from "../src/contract/pet.ts";
import { buildApp } from "../src/http/app.ts";
import { defaultTimeouts } from "../src/http/listen.ts";
import { createKey } from "../src/keys/issue.ts";
import { createKeyCheck } from "../src/keys/key-check.ts";
import { openStore } from "../src/store/open.ts";

const file = process.argv[2] ?? "";
const store = await openStore(`sqlite:${file}`, Date.now);
const database = new Database(file);
database.pragma("journal_mode = WAL");
database.pragma("synchronous = FULL");
const add = database.prepare("INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)").safeIntegers();

const app = buildApp({
	store: Object.assign(Object.create(store), {
		async createPet({ name, categoryId, status }: NewPet) {
			return { id: add.run(name, categoryId, status ?? null).lastInsertRowid as bigint, outcome: "created" };
		},
	}),
	keyCheck: createKeyCheck(store.keys, Date.now),
	baseUrl: undefined,
	defaultRate: undefined,
	corsOrigins: [],
	now: Date.now,
	requestIdPrefix: "naive",
	log: pino({ base: null }, pino.destination({ fd: 2, sync: false, minLength: 4096 })),
	timeouts: defaultTimeouts,
	isStopping: () => false,
	checkReady: async () => {},
	onReply: () => {},
});
const { key } = await createKey(
	{ rows: store.keys, now: Date.now, random: randomBytes },
	{ name: "bench", scopes: [...scopes] },
);
console.log(JSON.stringify({ url: await app.listen({ host: "127.0.0.1", port: 0 }), key }));
process.on("SIGTERM", () => process.exit());
