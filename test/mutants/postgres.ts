// Faults of the PostgreSQL store, of Idempotency-Keys in both engines, and of copy, and the quickest test that sees each.

import type { Mutant } from "../mutant.ts";

const store = ["test/store-postgres.test.ts"];
const refused = ["test/refused-postgres.test.ts"];
const copy = ["test/copy.test.ts"];

const opening: Mutant[] = [
	{
		file: "src/store/postgres/open.ts",
		from: ".then(refuseNewer)",
		to: "",
		tests: ["test/migrations.test.ts"],
	},
	{
		file: "src/store/postgres/connections.ts",
		from: 'client.on("error", () => {});',
		to: "",
		tests: store,
	},
	{ file: "src/store/postgres/engine.ts", from: 'fsync === "off" && !neonTimeline', to: "false", tests: refused },
	{ file: "src/store/postgres/engine.ts", from: 'synchronousCommit === "off" || ', to: "", tests: refused },
	{
		file: "src/store/postgres/migrate.ts",
		from: "({ rows }) => rows.length > 0",
		to: "() => false",
		tests: refused,
	},
	{
		file: "src/store/migrations.ts",
		from: "if (schema === 0 || schema >= schemaMin) return undefined;",
		to: "if (schema <= schemaMax) return undefined;",
		tests: ["test/migrations.test.ts"],
	},
	{
		file: "src/store/migrations.ts",
		from: "version > schema)",
		to: "version >= schema)",
		tests: ["test/migrations.test.ts"],
	},
];

const engines: Mutant[] = (
	[
		["engine.ts", " && !neonTimeline", ""],
		["engine.ts", "if (engine?.refusal)", "if (false)"],
		["engine.ts", "if (engine) {", "if (!version) {"],
		["engine.ts", 'placement.partmethod !== "n"', 'placement.partmethod === "h"'],
		["engine.ts", 'placement?.repmodel === "t"', "false"],
		["engine.ts", "given?.placement?.colocationid ?? 0", "given?.placement ? 1 : 0"],
		["engine.ts", "WHERE inhparent = id", "WHERE false"],
		["engine.ts", "refuseShards(pool).catch(onError)", "pool"],
		["open.ts", "if (unfit) throw unfit;", ""],
		["open.ts", "query, retry: retryWrite, now", "query, retry, now"],
	] as const
).map(([file, from, to]) => ({
	file: `src/store/postgres/${file}`,
	from,
	to,
	tests: ["test/engines-postgres.test.ts"],
}));

const warning: Mutant = {
	file: "src/service.ts",
	from: "onWarning: (text) => log.warn(text),",
	to: "",
	tests: ["test/engines-postgres.test.ts"],
};

const failures: Mutant[] = [
	{
		file: "src/store/postgres/errors.ts",
		from: "/^(08|",
		to: "/^(08|0A|",
		tests: ["src/store/postgres/errors.test.ts"],
	},
	{
		file: "src/store/postgres/errors.ts",
		from: "error instanceof pg.DatabaseError && ",
		to: "",
		tests: ["src/store/postgres/errors.test.ts"],
	},
	{
		file: "src/store/postgres/retries.ts",
		from: "random() * Math.min",
		to: "Math.min",
		tests: ["src/store/postgres/retries.test.ts"],
	},
	{
		file: "src/store/postgres/retries.ts",
		from: "retryForMs = 3_000",
		to: "retryForMs = 300",
		tests: ["src/store/postgres/retries.test.ts"],
	},
	{ file: "src/store/postgres/retries.ts", from: '"40001", ', to: "", tests: store },
	{
		file: "src/store/postgres/retries.ts",
		from: ' && table === "idempotency_keys"',
		to: "",
		tests: ["src/store/postgres/retries.test.ts"],
	},
	{
		file: "src/store/postgres/retries.ts",
		from: 'code === "23505" && table === "idempotency_keys"',
		to: "false",
		tests: store,
	},
	{
		file: "src/store/postgres/retries.ts",
		from: ', "CIINF"',
		to: "",
		tests: ["src/store/postgres/retries.test.ts"],
	},
	{
		file: "src/store/postgres/retries.ts",
		from: 'code === "23505" || code === "XX000"',
		to: 'code === "23505"',
		tests: ["src/store/postgres/retries.test.ts"],
	},
	{
		file: "src/store/postgres/retries.ts",
		from: '/"idempotency_keys_pkey_',
		to: '/"\\w+_pkey_',
		tests: ["src/store/postgres/retries.test.ts"],
	},
];

const idempotencyKeys: Mutant[] = [
	{
		file: "src/store/postgres/open.ts",
		from: "WHERE created_at_ms <= $1",
		to: "WHERE created_at_ms > $1",
		tests: store,
	},
	{ file: "src/store/idempotency-sweep.ts", from: "\tstart();\n", to: "", tests: store },
	{
		file: "src/store/idempotency-sweep.ts",
		from: "sweepEveryMs = 10 * 60_000",
		to: "sweepEveryMs = 24 * 3_600_000",
		tests: store,
	},
	{ file: "src/store/idempotency-sweep.ts", from: "=== sweepRows && ", to: "=== -1 && ", tests: store },
	{
		file: "src/store/postgres/creates.ts",
		from: "created_at_ms >",
		to: "created_at_ms + 1e15 >",
		tests: store,
	},
	{ file: "src/store/postgres/creates.ts", from: '"used.keys = 0"', to: '"true"', tests: store },
	{
		file: "src/store/postgres/creates.ts",
		from: "		if (newCreates.length === 0) return toResults(0n);\n",
		to: "",
		tests: store,
	},
	{
		file: "src/store/postgres/creates.ts",
		from: "counter.last_before + given.place, given.fingerprint",
		to: "counter.last_before + 1, given.fingerprint",
		tests: store,
	},
	{
		file: "src/store/idempotency.ts",
		from: 'isRepeat ? "replayed" : "reused"',
		to: '"replayed"',
		tests: ["src/store/idempotency.test.ts"],
	},
	{
		file: "src/store/idempotency.ts",
		from: "if (before) return",
		to: "if (before && newCreates.length > 99) return",
		tests: ["src/store/idempotency.test.ts"],
	},
	{
		file: "src/store/idempotency.ts",
		from: 'status ?? "-"',
		to: '"-"',
		tests: ["src/store/idempotency.test.ts"],
	},
	{
		file: "src/store/sqlite/create-batch.ts",
		from: "createdAtMs - idempotencyMs",
		to: "createdAtMs - idempotencyMs / 2",
		tests: ["test/store-sqlite.test.ts"],
	},
];

const moving: Mutant[] = [
	{
		file: "src/store/copy.ts",
		from: "source.count !== target.count || source.sum !== target.sum",
		to: "false",
		tests: copy,
	},
	{ file: "src/store/copy.ts", from: "await prepareTarget(", to: "prepareTarget(", tests: copy },
	{ file: "src/store/copy.ts", from: " || source.sum !== target.sum", to: "", tests: copy },
	{
		file: "src/store/copy.ts",
		from: "JSON.stringify(row.map(",
		to: "JSON.stringify(row.slice(0, 3).map(",
		tests: copy,
	},
	{
		file: "src/store/postgres/rows.ts",
		from: "void (await all(\"INSERT INTO settings VALUES ('copy_of', $1)\", [Buffer.from(mark)]))",
		to: "void all(\"INSERT INTO settings VALUES ('copy_of', $1)\", [Buffer.from(mark)])",
		tests: copy,
	},
	{ file: "src/store/postgres/rows.ts", from: "SET last_id = $1 WHERE", to: "SET last_id = $1 - 1 WHERE", tests: copy },
	{ file: "src/store/sqlite/rows.ts", from: "lastId: lastIssuedId", to: "lastId: 0n", tests: copy },
	{
		file: "src/store/sqlite/rows.ts",
		from: "SELECT seq FROM sqlite_sequence WHERE name = 'pets'",
		to: "SELECT max(id) FROM pets",
		tests: copy,
	},
];

export const mutants: Mutant[] = [...opening, ...engines, warning, ...failures, ...idempotencyKeys, ...moving];
