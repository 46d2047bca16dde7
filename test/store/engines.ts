// Both engines: a new database of each, and its stores, each opened like that of a separate process.

import { join } from "node:path";
import type { TestContext } from "node:test";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";
import { testDatabase } from "../support/postgres.ts";
import { temporaryFolder } from "../support/service.ts";

type OpenOptions = Parameters<typeof openStore>[2];

interface Stores {
	databaseUrl: string;
	open(options?: OpenOptions): Promise<Store>;
	/** Closes a store and opens it again in the same way. */
	reopen(store: Store): Promise<Store>;
}

/** Makes a database and its stores; they close with the test, before the database is dropped. */
type Make = (context: TestContext, now?: () => number) => Promise<Stores>;

function storesOf(context: TestContext, databaseUrl: string, now = Date.now, drop = async () => {}): Stores {
	const opened = new Map<Store, OpenOptions>();
	context.after(async () => {
		await Promise.all([...opened.keys()].map((store) => store.close()));
		await drop();
	});
	async function open(options?: OpenOptions): Promise<Store> {
		const store = await openStore(databaseUrl, now, options);
		opened.set(store, options);
		return store;
	}
	async function reopen(store: Store): Promise<Store> {
		const options = opened.get(store);
		opened.delete(store);
		await store.close();
		return open(options);
	}
	return { databaseUrl, open, reopen };
}

export const engines: Record<"sqlite" | "postgres", Make> = {
	sqlite: async (context, now) => storesOf(context, `sqlite:${join(temporaryFolder(context), "animals.db")}`, now),
	postgres: async (context, now) => {
		const { url, drop } = await testDatabase();
		return storesOf(context, url, now, drop);
	},
};
