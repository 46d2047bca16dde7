// What is loaded after the first page: when it is first used, or earlier, when the browser is idle. So it works even if
// the service is away by then.

const all = new Set<() => Promise<unknown>>();

/** Adds what loads a module. Call this once for each, outside all functions. @returns the same function */
export function later<Module>(load: () => Promise<Module>): () => Promise<Module> {
	all.add(load);
	return load;
}

/** Loads what is not loaded yet. What fails is tried again when it is used. */
export async function loadAll(): Promise<void> {
	// A module that is loaded here may add others.
	for (const load of all) await load().catch(() => {});
}
