// The messages about invalid animals, which the service, files of animals and the console's form share.

import assert from "node:assert/strict";
import { test } from "node:test";
import { checkFields, checkTexts, describeFaults } from "./validate.ts";

const name =
	"a string of 1 to 255 Unicode code points: not only white space, no control characters, no lone surrogates";
const integer = "an integer from -9223372036854775808 to 9223372036854775807";
const status = 'one of "available", "pending", "sold"';

test("one message names every broken field of an animal and its rule, the missing ones first", () => {
	const rows: [body: unknown, message: string][] = [
		[{ categoryId: 1.5 }, `name is required and must be ${name}; categoryId must be ${integer}`],
		[
			{ name: 5, status: null },
			`categoryId is required and must be ${integer}; name must be ${name}; status must be ${status}`,
		],
		[{ name: "a", categoryId: 1, status: "gone" }, `status must be ${status}`],
		[[], "the body must be a JSON object with name, categoryId and optionally status"],
	];
	for (const [body, message] of rows) assert.equal(describeFaults(checkFields(body).faults ?? []), message);
});

test("strings of a file or a form become an animal, with the same messages where they break a rule", () => {
	const { value } = checkTexts({ name: "Rex", categoryId: "9007199254740993", status: "" });
	assert.deepEqual(value, { name: "Rex", categoryId: 9007199254740993n });
	const { faults = [] } = checkTexts({ name: "", categoryId: "1 000", status: "gone" });
	assert.equal(describeFaults(faults), `name must be ${name}; categoryId must be ${integer}; status must be ${status}`);
});
