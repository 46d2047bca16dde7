// Faults in the client, and the tests that see them without a server.

import type { Mutant } from "../mutant.ts";

const index = "client/src/index.ts";
const attempts = "client/src/attempts.ts";
const errors = "client/src/errors.ts";
const int64 = "client/src/int64.ts";
const options = "client/src/options.ts";
const list = "client/src/pet-list.ts";
const tests = ["test/client-calls.test.ts"];
const checks = ["test/client-options.test.ts"];
const withServer = ["test/client.test.ts"];

export const mutants: Mutant[] = [
	{ file: errors, from: "(status >= 500 &&", to: "(status > 500 &&", tests },
	{ file: errors, from: '&& code !== "overloaded"', to: "", tests },
	{ file: errors, from: "error.isUnsettled || (before", to: "(before", tests },
	{ file: errors, from: "&& !(error instanceof ApiError && refusesRequest.test(error.code))", to: "", tests },
	{ file: errors, from: "idempotency_key_reused)$/", to: "malformed_request)$/", tests },
	{ file: errors, from: "/^\\d+$/.test(seconds)", to: "/\\d+/.test(seconds)", tests },
	{ file: errors, from: "this.requestId = requestIdOf(headers);", to: "", tests },
	{ file: errors, from: "this.headers = headers;", to: "this.headers = new Headers();", tests },
	{ file: errors, from: '"ApiError"', to: '""', tests },
	{ file: errors, from: "hasBegun || (", to: "(", tests },
	{ file: errors, from: " && !noTls.test(String(message))", to: "", tests },
	{ file: errors, from: "UND_ERR_SOCKET|", to: "", tests },
	{ file: errors, from: "= error.cause ?? {}", to: "= {}", tests },
	{ file: attempts, from: "!this.#hasReplied && ", to: "", tests },
	{ file: attempts, from: 'error.reason === "unreachable"', to: 'error.reason !== "timeout"', tests },
	{ file: attempts, from: "const firstContactMs = 500", to: "const firstContactMs = 5_000", tests },
	{ file: attempts, from: "this.#hasReplied = true;", to: "", tests },
	{ file: attempts, from: "attempt > maxRetries", to: "attempt >= maxRetries", tests },
	{ file: attempts, from: "maxRetries = this.#settings.maxRetries }", to: "maxRetries = Infinity }", tests },
	{
		file: attempts,
		from: "{ retryForMs = this.#settings.retryForMs }",
		to: "{ retryForMs = 30_000 }",
		tests: withServer,
	},
	{ file: attempts, from: "timeoutMs = this.#settings.timeoutMs }", to: "timeoutMs = 10_000 }", tests },
	{ file: attempts, from: "if (code && message)", to: "if (code || message)", tests },
	{ file: attempts, from: "(error.retryAfterSeconds ?? 0) * 1000", to: "(error.retryAfterSeconds ?? 0) / 1000", tests },
	{ file: attempts, from: "if (signal?.aborted) stop();", to: "", tests },
	{
		file: attempts,
		from: "clearTimeout(timer);\n			signal?.removeEventListener",
		to: "signal?.removeEventListener",
		tests,
	},
	{
		file: attempts,
		from: 'clearTimeout(timer);\n			signal?.removeEventListener("abort", stop);',
		to: "clearTimeout(timer);",
		tests,
	},
	{ file: attempts, from: "aborted already tells no listener.\n		signal?.throwIfAborted();", to: "", tests },
	{ file: attempts, from: "await beforeRequest?.(sent)", to: "void beforeRequest?.(sent)", tests },
	{ file: attempts, from: "await afterResponse?.(response, sent);", to: "", tests },
	{ file: attempts, from: 'response.ok ? int64 : "string"', to: "int64", tests },
	{ file: options, from: "options.url ?? environment", to: "options.url || environment", tests: checks },
	{ file: options, from: 'name === "key" ? "" :', to: "false ? name :", tests: checks },
	{ file: options, from: '.replace(/\\/\\/.*@/, "//…@")', to: "", tests: checks },
	{
		file: options,
		from: "if (value === undefined || holds(value)) continue;",
		to: "if (holds(value)) continue;",
		tests: checks,
	},
	{ file: options, from: "value >= 1 && value <= timerMaxMs", to: "value > 0", tests: checks },
	{ file: options, from: "String(value).length < 256", to: "String(value).length < 255", tests: checks },
	{ file: options, from: "[^?#@]+$/i", to: "[^?#]+$/i", tests: checks },
	{
		file: int64,
		from: 'typeof value === "number" || mode === "number"',
		to: 'typeof value === "number"',
		tests: withServer,
	},
	{ file: int64, from: "return String(BigInt(digits));", to: "return String(Number(digits));", tests: withServer },
	{ file: int64, from: "/^-?\\d+$/", to: "/-?\\d+/", tests: withServer },
	{ file: list, from: "if (isBackward) cursor ??=", to: "cursor ??=", tests },
	{ file: list, from: "isBackward ? page.prev : page.next", to: "page.next", tests },
	{ file: list, from: "Math.min(limit, limitMax)", to: "limitMax", tests },
	{ file: list, from: "found.slice(0, limit)", to: "found", tests },
	{ file: list, from: "found.length >= limit", to: "found.length > limit", tests },
	{ file: index, from: "if (error instanceof AnimalStoreError) error.idempotencyKey = idempotencyKey;", to: "", tests },
	{ file: index, from: 'padStart(2, "0")', to: 'padStart(1, "0")', tests },
	{ file: index, from: "if (found) page[rel] = found;", to: "if (found) page.next = found;", tests },
	{ file: index, from: "limit = limitMax", to: "limit = 20", tests },
];
