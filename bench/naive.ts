// A reference server on PostgreSQL: the service's HTTP code with a store that runs one statement, in its own
// transaction, for each request. Argument: a DATABASE_URL.

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import pg from "pg";
import { scopes } from "../src/contract/operations.ts";
import { type NewPet, petJson } from "../src/contract/pet.ts";
import { defaultTimeouts } from "../src/http/listen.ts";
import { securityHeaders } from "../src/http/reply-headers.ts";
import { createReplyWatch } from "../src/http/reply-watch.ts";
import { buildApp } from "../src/http/routes.ts";
import { createKey } from "../src/keys/issue.ts";
import { createKeyCheck } from "../src/keys/key-check.ts";
import { createLog } from "../src/ops/log.ts";
import { ownProcessor } from "../src/ops/processor.ts";
import { createBackground } from "../src/store/background.ts";
import { openStore } from "../src/store/open.ts";
import { toPetPage } from "../src/store/reads.ts";
import type { PageQuery, Store } from "../src/store/store.ts";

const url = process.argv[2] ?? "";
const store = await openStore(url, Date.now);

const { log } = createLog("info", process.stderr, false);
const app = buildApp({
	store: Object.assign(Object.create(store), naivePostgres(url)),
	keyCheck: createKeyCheck(store.keys, Date.now, createBackground()),
	baseUrl: undefined,
	defaultRate: undefined,
	now: Date.now,
	log,
	server: {
		timeouts: defaultTimeouts,
		fields: Object.entries(securityHeaders(undefined)).flat(),
		isClosing: () => false,
		watch: createReplyWatch({ log, node: "naive", onReply: () => {}, isOnTerminal: false }),
	},
	processor: ownProcessor,
	probes: { live: () => ({}), ready: async () => ({}) },
	activity: () => Promise.reject(new Error("there is no console")),
	eraseNames() {},
	pagesFolder: "",
});
const { key } = await createKey(
	{ rows: store.keys, now: Date.now, random: randomBytes },
	{ name: "bench", scopes: [...scopes] },
);
await once(app.server.listen(0, "127.0.0.1"), "listening");
const { port } = app.server.address() as AddressInfo;
console.log(JSON.stringify({ url: `http://127.0.0.1:${port}`, key }));
process.on("SIGTERM", () => process.exit());

function naivePostgres(url: string): Partial<Store> {
	const pool = new pg.Pool({ connectionString: url, max: 64 });
	const query = async (name: string, text: string, values: unknown[]) =>
		(await pool.query({ name, text, values })).rows;
	const toJson = (row: Record<string, never>): string =>
		petJson({
			id: BigInt(row["id"] ?? 0),
			name: row["name"] ?? "",
			categoryId: BigInt(row["category_id"] ?? 0),
			...(row["status"] ? { status: row["status"] } : {}),
		});
	let reads = 0n;
	/** Each read returns a new version, so that no reply is cached. */
	const newVersion = () => ({ timeline: "", lastEdit: reads++, lastId: 0n });
	const columns = "SELECT id, name, category_id, status FROM pets";
	return {
		async createPet({ name, categoryId, status }: NewPet) {
			const text = `WITH counter AS (UPDATE counters SET last_id = last_id + 1 WHERE name = 'pets' RETURNING last_id)
				INSERT INTO pets SELECT last_id, $1, $2, $3 FROM counter RETURNING id`;
			const [row] = await query("add", text, [name, categoryId, status ?? null]);
			return { id: BigInt(row.id), outcome: "created" };
		},
		async getPet(id: bigint) {
			const [json] = (await query("get", `${columns} WHERE id = $1`, [id])).map(toJson);
			return { json, version: newVersion() };
		},
		async listPets(pageQuery: PageQuery) {
			const { after = 0n, limit } = pageQuery;
			const rows = await query("list", `${columns} WHERE id > $1 ORDER BY id LIMIT $2`, [after, limit + 1]);
			return toPetPage(rows.map(toJson), pageQuery, newVersion());
		},
		version: async () => newVersion(),
	};
}
