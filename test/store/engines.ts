// Makes a new database of either engine. Each store on it is opened as if by a separate process.

import type { TestContext } from "node:test";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";
import { testDatabase } from "../support/postgres.ts";
import { temporaryStore } from "../support/service.ts";

type OpenOptions = Parameters<typeof openStore>[2];

/** Opens stores on a database. At the end of the test, closes the stores and then drops the database. */
function storesOf(context: TestContext, databaseUrl: string, now = Date.now, drop = async () => {}) {
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
	/** Closes a store and opens it again in the same way. */
	async function reopen(store: Store): Promise<Store> {
		const options = opened.get(store);
		opened.delete(store);
		await store.close();
		return open(options);
	}
	return { databaseUrl, open, reopen };
}

export const engines = {
	sqlite: async (context: TestContext, now?: () => number) => storesOf(context, temporaryStore(context), now),
	postgres: async (context: TestContext, now?: () => number) => {
		const { url, drop } = await testDatabase();
		return storesOf(context, url, now, drop);
	},
};
