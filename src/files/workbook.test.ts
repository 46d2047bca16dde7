// Cells of workbooks that are not what their format says.

import assert from "node:assert/strict";
import { test } from "node:test";
import { workbook } from "../../test/support/workbook.ts";
import { readWorkbook } from "./workbook.ts";

test("a number that is too large for a date, in a column of dates, becomes what spreadsheets save, and the rest is read", async () => {
	const cells = ["Rex", { digits: "1" }, { days: 46_348 }, { days: 276_098_100_123_456 }];
	const { source } = await readWorkbook(new Blob([workbook({ A: [["name", "categoryId", "since", "chip"], cells] })]));
	const [bytes] = await Array.fromAsync(source());
	assert.equal(new TextDecoder().decode(bytes), "name,categoryId,since,chip\nRex,1,2026-11-22,########\n");
});
