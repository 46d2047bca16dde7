// Reads the query of a request. The same texts come again and again, so the latest valid ones are remembered.

import { parse } from "node:querystring";
import type { Static, TObject } from "../contract/schema.ts";
import { queryCheck } from "../contract/validate.ts";

const rememberedMax = 1000;

/**
 * The reader of an operation's query. Equal texts may give the same object.
 * @throws ApiError `unknown_parameter` or `invalid_parameter`, naming every broken parameter
 */
export function createQueryReader<S extends TObject>(schema: S): (text: string) => Readonly<Static<S>> {
	const check = queryCheck(schema);
	const remembered = new Map<string, Static<S>>();
	return (text) => {
		const known = remembered.get(text);
		if (known !== undefined) return known;
		const query = check(parse(text, "&", "=", { maxKeys: 0 }));
		if (remembered.size >= rememberedMax) remembered.clear();
		remembered.set(text, query);
		return query;
	};
}
