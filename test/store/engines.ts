// Makes a new database of either engine. Each store on it is opened as if by a separate process.

import type { TestContext } from "node:test";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";
import { testDatabase } from "../support/postgres.ts";
import { temporaryStore } from "../support/service.ts";

type OpenOptions = Parameters<typeof openStore>[2];

interface Stores {
	databaseUrl: string;
	open(options?: OpenOptions): Promise<Store>;
	/** Closes a store and opens it again in the same way. */
	reopen(store: Store): Promise<Store>;
}

/** Makes a database and opens stores on it. At the end of the test, closes the stores and then drops the database. */
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
	sqlite: async (context, now) => storesOf(context, temporaryStore(context), now),
	postgres: async (context, now) => {
		const { url, drop } = await testDatabase();
		return storesOf(context, url, now, drop);
	},
};
