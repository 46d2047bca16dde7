// Modules that are loaded after the first page: while the browser is idle, but at the latest when they are first used.
// Loaded modules work without the service.

const all = new Set<() => Promise<unknown>>();

/** Registers a function that loads a module. Call this once for each module, outside all functions. @returns `load` */
export function later<Module>(load: () => Promise<Module>): () => Promise<Module> {
	all.add(load);
	return load;
}

/** Loads all modules that are not loaded yet. A module that fails is loaded again when it is used. */
export async function loadAll(): Promise<void> {
	// A module that is loaded here may add others.
	for (const load of all) await load().catch(() => {});
}
