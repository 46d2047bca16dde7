// Reads the query of a request. The same texts come again and again, so the latest valid ones are remembered.

import { parse } from "node:querystring";
import { ApiError } from "../contract/errors.ts";
import type { Static, TObject } from "../contract/schema.ts";
import { checkOf, describeFaults } from "../contract/validate.ts";

const rememberedMax = 1000;

/**
 * The reader of an operation's query: each parameter at most once, not empty, integers in plain decimal digits. Equal
 * texts may give the same object.
 * @throws ApiError `unknown_parameter` or `invalid_parameter`, naming every broken parameter
 */
export function createQueryReader<S extends TObject>(schema: S): (text: string) => Readonly<Static<S>> {
	const check = checkOf(schema, true);
	const names = Object.keys(schema.properties);
	const remembered = new Map<string, Static<S>>();
	return (text) => {
		const known = remembered.get(text);
		if (known !== undefined) return known;
		const query = parse(text, "&", "=", { maxKeys: 0 });
		const unknown = Object.keys(query).filter((name) => !names.includes(name));
		if (unknown.length > 0) throw new ApiError("unknown_parameter", unknown, names);
		const checked = check(query);
		if (checked.faults) throw new ApiError("invalid_parameter", describeFaults(checked.faults));
		if (remembered.size >= rememberedMax) remembered.clear();
		remembered.set(text, checked.value);
		return checked.value;
	};
}
