// Faults in the client, and the tests that see them without a server.

import type { Mutant } from "../mutant.ts";

const file = "client/src/index.ts";
const tests = ["test/client-calls.test.ts"];

export const mutants: Mutant[] = [
	{ file, from: "status >= 500 ||", to: "status > 500 ||", tests },
	{ file, from: "if (code && message)", to: "if (code || message)", tests },
	{
		file,
		from: "error instanceof ApiError || error instanceof NoReply) error",
		to: "error instanceof NoReply) error",
		tests,
	},
	{ file, from: "(error.retryAfterSeconds ?? 0) * 1000", to: "(error.retryAfterSeconds ?? 0) / 1000", tests },
	{ file, from: "/^\\d+$/.test(seconds)", to: "/\\d+/.test(seconds)", tests },
	{ file, from: 'padStart(2, "0")', to: 'padStart(1, "0")', tests },
	{ file, from: "if (signal?.aborted) stop();", to: "", tests },
	{ file, from: "clearTimeout(timer);\n			signal?.removeEventListener", to: "signal?.removeEventListener", tests },
	{
		file,
		from: 'clearTimeout(timer);\n			signal?.removeEventListener("abort", stop);',
		to: "clearTimeout(timer);",
		tests,
	},
	{ file, from: "if (found) page[rel] = found;", to: "if (found) page.next = found;", tests },
	{ file, from: "if (isBackward) cursor ??=", to: "cursor ??=", tests },
	{ file, from: "isBackward ? page.prev : page.next", to: "page.next", tests },
	{ file, from: 'this.requestId = headers.get("x-request-id") ?? undefined;', to: "", tests },
	{ file, from: '"ApiError"', to: '""', tests },
	{ file, from: "limit = limitMax", to: "limit = 20", tests },
];
