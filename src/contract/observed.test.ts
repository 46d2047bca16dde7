// The id of the caller's trace, by the rules of W3C Trace Context.

import assert from "node:assert/strict";
import { test } from "node:test";
import { traceIdOf } from "./observed.ts";

test("the trace id of a valid traceparent is found, also of a later version, and of no other", () => {
	const [trace, span] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"];
	for (const valid of [`00-${trace}-${span}-01`, `00-${trace}-${span}-00`, `01-${trace}-${span}-01-more`])
		assert.equal(traceIdOf(valid), trace, valid);
	for (const invalid of [
		...[undefined, "", "a", `00-${trace}-${span}`, `00-${trace}-${span}-01-more`, `ff-${trace}-${span}-01`],
		...[`00-${"0".repeat(32)}-${span}-01`, `00-${trace}-${"0".repeat(16)}-01`, `00-${trace.toUpperCase()}-${span}-01`],
		`00-${trace}-${span}-01, 00-${trace}-${span}-01`,
	])
		assert.equal(traceIdOf(invalid), undefined, invalid);
});
