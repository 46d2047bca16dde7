// The sentences with which commands describe errors.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../client/src/index.ts";
import { FileError } from "../files/encoding.ts";
import { ImportFailure } from "../files/import-request.ts";
import { CategoriesFull, StorageUnavailable } from "../store/store.ts";
import { describeError } from "./command-error.ts";
import { incompleteError } from "./import-report.ts";

test("an error of the service has its code, its request id, and advice where a person can do something", () => {
	const advised: [code: ApiError["code"], advice: RegExp][] = [
		["missing_credential", /set a key with ANIMAL_STORE_KEY/],
		["invalid_credential", /set another key.*keys create --name/],
		["insufficient_scope", /ask for a key.*--scopes/],
		["rate_limited", /try again later/],
		["storage_unavailable", /try again in a moment; .*log/],
		["overloaded", /try again in a moment/],
		["internal_error", /report the request id/],
		["unexpected_reply", /ANIMAL_STORE_URL/],
	];
	const describe = (code: ApiError["code"], headers: Record<string, string> = {}) =>
		describeError(new ApiError("it failed", new Response(null, { status: 400, headers }), code)).join("\n");
	for (const [code, advice] of advised)
		assert.match(describe(code), new RegExp(`^it failed \\(${code}\\): .*${advice.source}`));
	assert.equal(describe("pet_not_found", { "x-request-id": "r-1" }), "it failed (pet_not_found, request id r-1)");
});

test("an error of a port, an address or a file is one sentence with the setting, and an unexpected error has its stack", () => {
	const described = (given: object) => describeError(Object.assign(new Error("unexpected"), given))[0] ?? "";
	assert.match(
		described({ code: "EADDRINUSE", port: 80, address: "::" }),
		/^port 80 on :: is in use: .*PORT or OPS_PORT/,
	);
	assert.match(described({ code: "EACCES", port: 80 }), /^this user may not listen on port 80: .*PORT or OPS_PORT/);
	for (const code of ["EADDRNOTAVAIL", "ENOTFOUND"])
		assert.match(
			described({ code, port: 80, address: "a" }),
			/^a is not an address of this machine: fix HOST or OPS_HOST/,
		);
	assert.match(described({ code: "ENOTFOUND" }), /^the host is not/);
	assert.deepEqual(describeError(new FileError("a sheet is full")), ["a sheet is full"]);
	assert.match(describeError(new CategoriesFull()).join(), /^a store has at most [\d,]+ names of categories: [^\n]+$/);
	assert.deepEqual(describeError(new StorageUnavailable("full")), ["the store cannot be written: full"]);
	const expired = incompleteError(new ImportFailure("expired", "too old"), { added: 1, alreadyThere: 2 }, 9, false);
	assert.equal(expired.message, "too old; added 3 of 9 animals", "it cannot be resumed");
	assert.match(described({}), /^Error: unexpected\n +at /);
	assert.match(described({ code: "ENOSPC", errno: -28, path: "f" }), /^f cannot be written: no space left/);
	assert.match(described({ code: "EISDIR", errno: -21, path: "f" }), /^f cannot be used: illegal operation/);
	assert.match(described({ code: "EIO", errno: -5, syscall: "write" }), /^the output cannot be written: i\/o error/);
});
