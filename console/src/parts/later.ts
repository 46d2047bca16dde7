// Modules that are loaded after the first page: while the browser is idle, but at the latest when they are first used.
// Once loaded, a module works even while the service does not answer.

const all = new Set<() => Promise<unknown>>();

/** Registers a function that loads a module. Call this once for each module, outside all functions. @returns `load` */
export function later<Module>(load: () => Promise<Module>): () => Promise<Module> {
	all.add(load);
	return load;
}

/** Loads all modules that are not loaded yet. A module that fails is loaded again when it is used. */
export async function loadAll(): Promise<void> {
	// A module that is loaded here may register more modules.
	for (const load of all) await load().catch(() => {});
}
