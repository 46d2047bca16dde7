// The migrations of an engine: SQL files, each run once, in the order of their numbers. The first files create a new
// store; the number of the last file is the version of the schema. A file without an engine in its name is for both
// engines. `-- oldest writer: 5` in a file: nodes that know only schema 5 may keep writing (decision 0026).

import { readdirSync, readFileSync } from "node:fs";
import { comparedName } from "../contract/equal-texts.ts";

/** Work of the program after the SQL of a migration: `compute` turns the rows of `read` into the values of `write`. */
interface Computed {
	read: string;
	write: string;
	compute(rows: [id: bigint, name: string][]): Iterable<[folded: string, id: bigint]>;
}

const computed: Record<number, Computed> = {
	8: {
		read: "SELECT id, name FROM categories ORDER BY id DESC",
		write: "UPDATE categories SET folded = $1 WHERE id = $2",
		// The ids descend, and a Map keeps the last of equal keys: only the lowest id gets the compared name.
		compute: (rows) => new Map(rows.map(([id, name]) => [comparedName(name), id])),
	},
};

const folder = new URL("./migrations/", import.meta.url);

export function readMigrations(engine: "postgres" | "sqlite") {
	const all = readdirSync(folder)
		.sort()
		.map((name) => ({ name, version: Number(new RegExp(`^(?:${engine}-)?(\\d+)\\.sql$`).exec(name)?.[1]) }))
		.filter(({ version }) => version > 0)
		.sort((a, b) => a.version - b.version)
		.map(({ name, version }) => {
			const sql = toEngine(readFileSync(new URL(name, folder), "utf8"), engine);
			const oldestWriter = Number(/^-- oldest writer: (\d+)$/m.exec(sql)?.[1] ?? version);
			return { version, sql, oldestWriter, computed: computed[version] };
		});
	const [schemaMin = 0, schemaMax = 0] = [all[0]?.version, all.at(-1)?.version];
	return {
		/** The newest schema that this version of the program knows. */
		schemaMax,
		/** The migrations that a store with this schema lacks; 0 is an empty store. */
		after: (schema: number) => all.filter(({ version }) => version > schema),
		/** Why this program cannot open a store that needs at least `schema` for writing; undefined if it can. */
		refuse(schema: number): string | undefined {
			if (schema > schemaMax)
				return (
					`was written by a newer animal-store (schema ${schema}, this one supports ${schemaMax}): ` +
					"upgrade this installation"
				);
			if (schema === 0 || schema >= schemaMin) return undefined;
			return (
				`was created by a development version of animal-store (schema ${schema}, this one supports ${schemaMin} and ` +
				"newer): export its animals with that version, and import them into a new store"
			);
		},
	};
}

/** Reads the number of the last applied migration. The oldest version that may write is stored elsewhere. */
export const readApplied = "SELECT value FROM settings WHERE name = 'applied_schema'";
export const writeApplied = `INSERT INTO settings (name, value) VALUES ('applied_schema', $1)
	ON CONFLICT (name) DO UPDATE SET value = excluded.value`;

/** Adapts a migration to the engine: in SQLite, each table is STRICT, which allows the type INTEGER, but not BIGINT. */
function toEngine(sql: string, engine: "postgres" | "sqlite"): string {
	if (engine === "postgres") return sql;
	return sql.replaceAll(" BIGINT", " INTEGER").replaceAll(/^(CREATE TABLE [^;]*\));/gm, "$1 STRICT;");
}
