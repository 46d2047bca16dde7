// Requests of commands to the endpoints of the console, which are no operations of the interface.

import { Attempts } from "../../client/src/attempts.ts";
import { ApiError, type ClientOptions } from "../../client/src/index.ts";
import { readOptions } from "../../client/src/options.ts";
import type { Category } from "../contract/console.ts";
import { type AskConsole, readCategories } from "../files/categories.ts";

/** Requests that are repeated as the client's are. */
export function consoleRequests(options: ClientOptions): AskConsole {
	const settings = readOptions({ ...options, int64: "bigint" });
	const attempts = new Attempts({ ...settings, base: settings.base.replace(/\/v1$/, "") });
	return async (path, { body, signal }) => {
		const headers: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
		const method = body === undefined ? "GET" : "POST";
		return (await attempts.send({ method, path, headers, body }, { signal })).body;
	};
}

/** The categories of the service; undefined if the key may not read them, or the service is older than they are. */
export async function categoriesOf(ask: AskConsole, signal?: AbortSignal): Promise<Category[] | undefined> {
	return readCategories(ask, signal).catch((error) => {
		if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return undefined;
		throw error;
	});
}
