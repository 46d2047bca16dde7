// Reads the store's categories for a file, and makes new ones. The caller's client sends the requests.

import { type CategoriesReply, type Category, type CategoryResult, categoryChangesMax } from "../contract/console.ts";
import { comparedName } from "../contract/equal-texts.ts";
import { plainValue } from "./values.ts";

/** Sends a request to an endpoint of the console: a POST if there is a body. In the reply, int64 is bigint. */
export type AskConsole = (
	path: string,
	options: { body?: string; signal?: AbortSignal | undefined },
) => Promise<unknown>;

const path = "/console/categories";

export async function readCategories(ask: AskConsole, signal?: AbortSignal): Promise<Category[]> {
	return ((await ask(path, { signal })) as CategoriesReply).categories;
}

/** Maps the names of categories to their numbers. The names are in the form that `Values` uses (`comparedName`). */
export function numbersOf(categories: Iterable<Pick<Category, "id" | "name">>): Map<string, bigint> {
	const named = [...categories].flatMap(({ id, name }) => (name === undefined ? [] : { id, name }));
	// In a migrated store, several categories may have equal names. Then the name means the first one, as in the store.
	return new Map(named.reverse().map(({ id, name }) => [comparedName(name), id]));
}

/** For each new category whose name differs only in accents from another one, old or new: the other category. */
export function likesOf(
	texts: readonly string[],
	categories: readonly Pick<Category, "id" | "name">[] = [],
): Map<string, string> {
	const first = new Map<string, string>();
	for (const { id, name } of categories)
		if (name !== undefined) first.set(plainValue(name), `${JSON.stringify(name)} (category ${id})`);
	const likes = new Map<string, string>();
	for (const text of texts) {
		const like = first.get(plainValue(text));
		if (like === undefined) first.set(plainValue(text), JSON.stringify(text));
		else likes.set(text, like);
	}
	return likes;
}

/** Gives each name the next free number, unless a category has the name already. So a retry makes no category twice. */
export async function makeCategories(ask: AskConsole, names: readonly string[]): Promise<CategoryResult[]> {
	const results: CategoryResult[] = [];
	for (let at = 0; at < names.length; at += categoryChangesMax) {
		const categories = names.slice(at, at + categoryChangesMax).map((name) => ({ name }));
		const reply = await ask(path, { body: JSON.stringify({ categories }) });
		results.push(...(reply as { results: CategoryResult[] }).results);
	}
	return results;
}
