// The size of the embedded store's WAL stays bounded, even after another program has held an old snapshot.

import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import Database from "better-sqlite3";
import { openStore } from "../../src/store/open.ts";
import { walMaxBytes } from "../../src/store/sqlite/file.ts";
import { temporaryFolder } from "../support/service.ts";
import { until } from "../support/until.ts";

test("sqlite: the WAL grows during a long read transaction, and is truncated soon after its end", async (context) => {
	const file = join(temporaryFolder(context), "s.db");
	const store = await openStore(`sqlite:${file}`, Date.now);
	context.after(() => store.close());
	await store.createPet({ name: "a", categoryId: 1n });
	const reader = new Database(file, { readonly: true });
	reader.exec("BEGIN");
	const count = reader.prepare("SELECT count(*) FROM pets").pluck();
	assert.equal(count.get(), 1);
	const bytesOfWal = () => statSync(`${file}-wal`).size;
	const name = "x".repeat(255);
	let made = 1;
	while (bytesOfWal() <= 2 * walMaxBytes) {
		assert.ok(made < 200_000, "the WAL grows");
		await Promise.all(Array.from({ length: 1000 }, () => store.createPet({ name, categoryId: 1n })));
		made += 1000;
	}
	assert.equal((await store.readUse()).files?.walBytes, bytesOfWal());
	assert.equal(count.get(), 1, "the reader has the old snapshot");
	reader.close();
	await until("the WAL to be truncated", () => bytesOfWal() <= walMaxBytes);
	const { files } = await store.readUse();
	assert.deepEqual([files?.databaseBytes, files?.walBytes], [statSync(file).size, bytesOfWal()]);
	await store.createPet({ name: "b", categoryId: 1n });
	assert.equal(await store.rows.count("pets"), made + 1);
});
