// Faults in src/contract, and the tests that see them.

import type { Mutant } from "../mutant.ts";

const pure = ["src/contract/contract.test.ts"];

export const mutants: Mutant[] = [
	{ file: "src/contract/int64.ts", from: "2n ** 63n - 1n", to: "2n ** 63n", tests: pure },
	{ file: "src/contract/int64.ts", from: "value >= int64Min", to: "value > int64Min", tests: pure },
	{ file: "src/contract/json.ts", from: "zeros < 0", to: "zeros <= 0", tests: pure },
	{ file: "src/contract/json.ts", from: "? Number.NaN : value", to: "? value : value", tests: pure },
	{ file: "src/contract/json.ts", from: "end - start + zeros > 19", to: "end + start + zeros > 19", tests: pure },
	{ file: "src/contract/validate.ts", from: "allErrors: true", to: "allErrors: false", tests: ["test/body.test.ts"] },
	{
		file: "src/contract/validate.ts",
		from: "unknown.length > 0",
		to: "unknown.length > 1",
		tests: ["test/query.test.ts"],
	},
	{
		file: "src/contract/operations.ts",
		from: '"[!-~]{1,255}"|',
		to: "",
		tests: ["test/openapi.test.ts"],
	},
	{
		file: "src/contract/openapi-failures.ts",
		from: '\t405: ["Allow"],\n',
		to: "",
		tests: ["test/openapi-replies.test.ts"],
	},
	{
		file: "src/contract/openapi-failures.ts",
		from: "const beforeRate = [401, 408, ",
		to: "const beforeRate = [401, ",
		tests: ["test/openapi-replies.test.ts"],
	},
	{
		file: "src/contract/error-examples.ts",
		from: "at the moment: try again",
		to: "at the moment",
		tests: ["test/openapi-replies.test.ts"],
	},
	{
		file: "src/http/routes.ts",
		from: "openApiText(options.baseUrl)",
		to: "openApiText()",
		tests: ["test/openapi.test.ts"],
	},
];
