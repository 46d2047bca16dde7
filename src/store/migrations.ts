// The migrations of an engine: SQL files, run in the order of their numbers, each once. The first ones make a new
// store. The number of the last one is the version of the schema. A file without the name of an engine is for both.

import { readdirSync, readFileSync } from "node:fs";

const folder = new URL("./migrations/", import.meta.url);

export function readMigrations(engine: "postgres" | "sqlite") {
	const all = readdirSync(folder)
		.sort()
		.map((name) => ({ name, version: Number(new RegExp(`^(?:${engine}-)?(\\d+)\\.sql$`).exec(name)?.[1]) }))
		.filter(({ version }) => version > 0)
		.sort((a, b) => a.version - b.version)
		.map(({ name, version }) => ({ version, sql: toEngine(readFileSync(new URL(name, folder), "utf8"), engine) }));
	const [schemaMin = 0, schemaMax = 0] = [all[0]?.version, all.at(-1)?.version];
	return {
		/** The newest schema that this version of the program knows. */
		schemaMax,
		/** Those that a store of this schema lacks; 0 is that of an empty one. */
		after: (schema: number) => all.filter(({ version }) => version > schema),
		/** Why this version cannot open a store of this schema, as the end of a sentence about it; undefined if it can. */
		refuse(schema: number): string | undefined {
			if (schema > schemaMax)
				return (
					`was written by a newer animal-store (schema ${schema}, this one supports ${schemaMax}): ` +
					"upgrade this installation"
				);
			if (schema === 0 || schema >= schemaMin) return undefined;
			return (
				`was made by a development version of animal-store (schema ${schema}, this one supports ${schemaMin} and ` +
				"newer): export its animals with that version, and import them into a new store"
			);
		},
	};
}

/** SQLite's strict tables have one type for integers. */
function toEngine(sql: string, engine: "postgres" | "sqlite"): string {
	if (engine === "postgres") return sql;
	return sql.replaceAll(" BIGINT", " INTEGER").replaceAll(/^(CREATE TABLE [^;]*\));/gm, "$1 STRICT;");
}
