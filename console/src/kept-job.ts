// Keeps a tab's import in the browser (IndexedDB), so that the import survives a reload. The file and the choices are
// stored first, then the outcome of each batch. The import also works if the browser stores nothing or has no space.

import { idempotencyHours } from "../../src/contract/operations.ts";
import type { Keeper, KeptBatch, KeptImport, Resumed } from "./add-rows.ts";
import { importsName, storages, tabImport } from "./kept-key.ts";

/** When the import began, and a random number. */
type ImportId = [atMs: number, random: number];

/** One hour shorter than the lifetime of the rows' Idempotency-Keys. */
const keptForMs = (idempotencyHours - 1) * 3_600_000;

/** Resolves when the file is stored. */
export async function keepImport(kept: KeptImport): Promise<Keeper> {
	const id: ImportId = [Date.now(), Math.random()];
	storages()[0]?.setItem(importsName, JSON.stringify(id));
	const writing = inStore((store) => {
		store.delete(tooOld());
		return store.put(kept, [...id, 0]);
	});
	await writing.catch(() => {});
	return keeperOf(id, writing);
}

/** @param writing the last write. Each write waits for the previous write: after a failure, nothing more is stored. */
function keeperOf(id: ImportId, writing: Promise<unknown> = Promise.resolve()): Keeper {
	let last = writing;
	const then = (work: (store: IDBObjectStore) => IDBRequest) => {
		last = last.then(() => inStore(work));
		void last.catch(() => {});
	};
	return {
		settled: (batch) => then((store) => addBatch(store, batch, id)),
		end() {
			if (tabImport() === JSON.stringify(id)) storages()[0]?.removeItem(importsName);
			then((store) => store.delete(rangeOf(id)));
		},
	};
}

/** The import that this tab had before the reload. */
export async function readImport(): Promise<Resumed | undefined> {
	const id: ImportId = JSON.parse(tabImport() ?? "[0,0]");
	const [kept, ...batches] = await inStore((store) => {
		store.delete(tooOld());
		return store.getAll(rangeOf(id));
	});
	if (!kept) storages()[0]?.removeItem(importsName);
	return kept && { sinceMs: id[0], kept, batches, keeper: keeperOf(id) };
}

const tooOld = () => IDBKeyRange.upperBound([Date.now() - keptForMs]);
const rangeOf = (id: ImportId) => IDBKeyRange.bound([...id, 0], [...id, Number.POSITIVE_INFINITY]);

/** Stores nothing once any tab has signed out. Record 0 is the file, because rows are numbered from 1. */
function addBatch(store: IDBObjectStore, batch: KeptBatch, id: ImportId): IDBRequest {
	const asked = store.getKey([...id, 0]);
	asked.addEventListener("success", () => asked.result && store.put(batch, [...id, batch.last]));
	return asked;
}

/** Resolves when the transaction is complete. */
async function inStore<T>(work: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
	const database = await new Promise<IDBDatabase>((resolve, reject) => {
		const opening = indexedDB.open(importsName, 1);
		opening.onupgradeneeded = () => opening.result.createObjectStore("records");
		opening.onsuccess = () => resolve(opening.result);
		opening.onerror = () => reject(opening.error);
	});
	const transaction = database.transaction("records", "readwrite");
	try {
		const request = work(transaction.objectStore("records"));
		await new Promise((resolve, reject) => {
			transaction.oncomplete = resolve;
			transaction.onabort = () => reject(transaction.error);
		});
		return request.result;
	} finally {
		database.close();
	}
}
