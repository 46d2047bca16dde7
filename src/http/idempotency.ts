// The Idempotency-Key request header: 1 to 255 visible ASCII characters, quotes optional.

import { ApiError } from "../contract/errors.ts";

/** @throws ApiError `invalid_parameter` */
export function readIdempotencyKey(field: string | string[] | undefined): string | undefined {
	if (field === undefined) return undefined;
	const text = String(field);
	const key = /^"(.*)"$/.exec(text)?.[1] ?? text;
	if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
	throw new ApiError("invalid_parameter");
}
