// Access to the stored rows of PostgreSQL, for copying a whole store.

import type pg from "pg";
import { columnList, columnsOf, type Row, type Rows, rowsSql, tables } from "../tables.ts";
import { toStoreError } from "./errors.ts";
import { onConnection } from "./transaction.ts";

export function createPostgresRows(pool: pg.Pool): Rows {
	async function all(text: string, values: unknown[] = []): Promise<Row[]> {
		const query = { text, values, rowMode: "array" } as pg.QueryArrayConfig;
		const { rows } = await onConnection(pool, (client) => client.query(query)).catch((error) => {
			throw toStoreError(error);
		});
		return rows.map((row: unknown[]) =>
			row.map((value) => (typeof value === "number" ? BigInt(value) : value)),
		) as Row[];
	}
	/** The only value of the only row. */
	const value = async (text: string) => (await all(text))[0]?.[0] ?? undefined;
	return {
		count: async (table) => Number(await value(`SELECT count(*) FROM ${tables[table].name}`)),
		read: (table, after, limit) =>
			all(
				rowsSql(tables[table], after, limit, (place, type) => `$${place}::${type}`),
				after,
			),
		readLastPetId: async () => (await value("SELECT max(id) FROM pets")) as bigint | undefined,
		readLastIssuedId: async () => (await value("SELECT last_id FROM counters WHERE name = 'pets'")) as bigint,
		async write(table, rows) {
			const columns = columnsOf(tables[table]);
			const arrays = columns.map(({ type }, place) => `$${place + 1}::${type}[]`);
			const values = columns.map((_, place) => rows.map((row) => row[place]));
			const into = `${tables[table].name} (${columnList(tables[table])})`;
			await all(`INSERT INTO ${into} SELECT * FROM unnest(${arrays.join(", ")}) ON CONFLICT DO NOTHING`, values);
		},
		readCopyMark: async () => (await value("SELECT value FROM settings WHERE name = 'copy_of'"))?.toString(),
		markCopy: async (mark) => void (await all("INSERT INTO settings VALUES ('copy_of', $1)", [Buffer.from(mark)])),
		async finishCopy({ cursorSecret, lastIssuedId }) {
			await all("UPDATE counters SET last_id = $1 WHERE name = 'pets'", [lastIssuedId]);
			await all("UPDATE counters SET last_id = (SELECT coalesce(max(id), 0) FROM edits) WHERE name = 'edits'");
			await all("UPDATE settings SET value = $1 WHERE name = 'cursor_secret'", [cursorSecret]);
			await all("DELETE FROM settings WHERE name = 'copy_of'");
		},
	};
}
