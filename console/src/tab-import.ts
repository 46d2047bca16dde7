// Which import the tab has kept (kept-job.ts), also after it was loaded again. Loaded with the first page: signing out
// forgets the imports of all tabs without another script.

import { storages } from "./kept-key.ts";

/** Of the database of all imports under way, and of the id of the tab's own. */
export const importsName = "animal-store.imports";

/** The id of the import of this tab, also after it was loaded again. */
export const tabImport = () => storages()[0]?.getItem(importsName);

/** Those of all tabs. */
export function forgetImports(): void {
	const [tab] = storages();
	// A browser that refuses the one refuses the other.
	if (!tab) return;
	tab.removeItem(importsName);
	indexedDB.deleteDatabase(importsName);
}
