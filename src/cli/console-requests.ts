// Sends the requests that commands make to the console's endpoints, which are not part of the interface: to export
// animals, to read the service's categories, and to make new categories for the words in a file.

import { Attempts } from "../../client/src/attempts.ts";
import { connectionError } from "../../client/src/errors.ts";
import { ApiError, type ClientOptions } from "../../client/src/index.ts";
import { readOptions } from "../../client/src/options.ts";
import type { Category, CategoryResult, ExportOrder } from "../contract/console.ts";
import { toJson } from "../contract/json.ts";
import { type AskConsole, makeCategories, numbersOf, readCategories } from "../files/categories.ts";
import type { ReadOptions } from "../files/rows.ts";
import type { UnknownValue } from "../files/values.ts";
import { CommandError } from "./command-error.ts";

function attemptsOf(options: ClientOptions): Attempts {
	const settings = readOptions({ ...options, int64: "bigint" });
	return new Attempts({ ...settings, base: settings.base.replace(/\/v1$/, "") });
}

/** Requests an export. The reply may begin late. @returns its pieces @throws ApiError, NoReply, the abort reason */
export async function* requestExport(options: ClientOptions, order: ExportOrder, signal: AbortSignal) {
	const headers = { "content-type": "application/json" };
	const request = { method: "POST", path: "/console/exports", headers, body: toJson(order), isFile: true } as const;
	const { response } = await attemptsOf(options).send(request, { signal, timeoutMs: 60_000 });
	try {
		yield* response.body ?? [];
	} catch (error) {
		signal.throwIfAborted();
		throw connectionError(response.url, error, true);
	}
}

/** Sends requests to the console's endpoints, and retries them as the client does. */
export function consoleRequests(options: ClientOptions): AskConsole {
	const attempts = attemptsOf(options);
	return async (path, { body, signal }) => {
		const headers: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
		const method = body === undefined ? "GET" : "POST";
		return (await attempts.send({ method, path, headers, body }, { signal })).body;
	};
}

/** The service's categories; undefined if the key may not read them, or if the service is too old to have them. */
export async function categoriesOf(ask: AskConsole, signal?: AbortSignal): Promise<Category[] | undefined> {
	return readCategories(ask, signal).catch((error) => {
		if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return undefined;
		throw error;
	});
}

type Named = Pick<Category, "id" | "name">;

/** Adds these categories to the options. Categories that the options already have take precedence. */
export function withCategories(options: ReadOptions, categories: readonly Named[] = []): ReadOptions {
	const categoryId = new Map([...numbersOf(categories), ...(options.values?.categoryId ?? [])]);
	const { numbers: known } = options.values ?? {};
	const numbers = known && new Set([...known, ...categories.map(({ id }) => id)]);
	return { ...options, values: { ...options.values, categoryId, numbers } };
}

/** Makes the proposed categories. @throws CommandError if key or service do not allow this; ApiError, NoReply */
export async function newCategories(ask: AskConsole, unknown: readonly UnknownValue[]): Promise<CategoryResult[]> {
	const names = unknown.flatMap(({ field, proposed }) => (field === "categoryId" && proposed ? [proposed] : []));
	return makeCategories(ask, names).catch((error) => {
		const status = error instanceof ApiError ? error.status : undefined;
		if (status === 403)
			throw new CommandError("to make categories, the key needs the scope pets:edit; nothing was sent");
		if (status === 404) throw new CommandError("the service is too old to make categories; nothing was sent");
		throw error;
	});
}
