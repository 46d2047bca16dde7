// The words in place of categories in a file of animals: their categories are looked up in the service, and new ones are
// made there, before the first animal is sent.

import { ApiError } from "../../client/src/index.ts";
import { type AskConsole, makeCategories, numbersOf } from "../files/categories.ts";
import type { ReadOptions } from "../files/rows.ts";
import type { UnknownValue } from "../files/values.ts";
import { CommandError } from "./command-error.ts";
import { categoriesOf } from "./console-request.ts";

/** The options with the categories of the service; those that were given have precedence. */
export async function withCategories(ask: AskConsole, options: ReadOptions, signal: AbortSignal): Promise<ReadOptions> {
	return withNumbers(options, numbersOf((await categoriesOf(ask, signal)) ?? []));
}

function withNumbers(options: ReadOptions, numbers: ReadonlyMap<string, bigint>): ReadOptions {
	const categoryId = new Map([...numbers, ...(options.values?.categoryId ?? [])]);
	return { ...options, values: { ...options.values, categoryId } };
}

/** A category that was made. */
export interface NewCategory {
	id: bigint;
	name: string;
}

/** Makes the proposed categories. @throws CommandError if the key may not; ApiError, NoReply */
export async function withNewCategories(ask: AskConsole, options: ReadOptions, unknown: readonly UnknownValue[]) {
	const names = unknown.flatMap(({ field, proposed }) => (field === "categoryId" && proposed ? [proposed] : []));
	const results = await makeCategories(ask, names).catch((error) => {
		const status = error instanceof ApiError ? error.status : undefined;
		if (status === 403)
			throw new CommandError("to make categories, the key needs the scope pets:edit; nothing was sent");
		if (status === 404) throw new CommandError("the service is too old to make categories; nothing was sent");
		throw error;
	});
	const named = results.map(({ id }, index) => ({ id, name: names[index] ?? "" }));
	const made: NewCategory[] = named.filter((_, index) => results[index]?.outcome === "named");
	return { options: withNumbers(options, numbersOf(named)), made };
}
