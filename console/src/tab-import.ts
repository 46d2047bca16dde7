// Which import the tab has kept (kept-job.ts), even after a reload. Loaded with the first page, so that signing out can
// delete the imports of all tabs without another script.

import { storages } from "./kept-key.ts";

/** The name of the database of all running imports, and of the item with the id of this tab's import. */
export const importsName = "animal-store.imports";

/** The id of this tab's import, even after a reload. */
export const tabImport = () => storages()[0]?.getItem(importsName);

/** Deletes the imports of all tabs. */
export function forgetImports(): void {
	const [tab] = storages();
	// A browser that refuses one storage refuses the other, too.
	if (!tab) return;
	tab.removeItem(importsName);
	indexedDB.deleteDatabase(importsName);
}
