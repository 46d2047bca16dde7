// A table of animals on several shards: hash partitions that are foreign tables in other databases (postgres_fdw).

import { runSql } from "../support/sql.ts";

const columns = "(id BIGINT NOT NULL, name TEXT NOT NULL, category_id BIGINT NOT NULL, status TEXT)";

/** Replaces the table `pets` of a store; the store's animals are lost. @param shards URLs of empty databases */
export async function spreadPets(url: string, shards: string[]): Promise<void> {
	await runSql(
		url,
		`CREATE EXTENSION postgres_fdw; DROP TABLE pets; CREATE TABLE pets ${columns} PARTITION BY HASH (id)`,
	);
	for (const [index, shard] of shards.entries()) {
		await runSql(shard, `CREATE TABLE pets ${columns}; ALTER TABLE pets ADD PRIMARY KEY (id)`);
		const { hostname, port, username, password, pathname } = new URL(shard);
		await runSql(
			url,
			`CREATE SERVER shard_${index} FOREIGN DATA WRAPPER postgres_fdw
				OPTIONS (host '${hostname}', port '${port}', dbname '${pathname.slice(1)}');
			CREATE USER MAPPING FOR CURRENT_USER SERVER shard_${index} OPTIONS (user '${username}', password '${password}');
			CREATE FOREIGN TABLE pets_${index} PARTITION OF pets
				FOR VALUES WITH (MODULUS ${shards.length}, REMAINDER ${index}) SERVER shard_${index} OPTIONS (table_name 'pets')`,
		);
	}
}
