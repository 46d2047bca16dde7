// Faults of HTTP and of the ports, each with the quickest test that detects it.

import type { Mutant } from "../mutant.ts";

export const mutants: Mutant[] = [
	{
		file: "src/http/checks.ts",
		from: 'if (access === "open") return;\n\t\tconst found = keyOf',
		to: 'if (access === "open" || access === undefined) return;\n\t\tconst found = keyOf',
		tests: ["test/contract/corpus.test.ts"],
	},
	{
		file: "src/http/router.ts",
		from: '...(isOpen && { access: "open" })',
		to: 'access: "open"',
		tests: ["test/contract/corpus.test.ts"],
	},
	{ file: "src/http/routes.ts", from: "access: scope,", to: "", tests: ["test/contract/corpus.test.ts"] },
	{
		file: "src/http/listen.ts",
		from: 'if (upload?.socket && !upload.headersSent) refuse(connection, new ApiError("request_timeout"));\n\t\telse ',
		to: "",
		tests: ["test/contract/framing.test.ts"],
	},
	{
		file: "src/http/listen.ts",
		from: 'socket.on("error", () => {});',
		to: "",
		tests: ["test/contract/connections.test.ts"],
	},
	{
		file: "src/http/traffic.ts",
		from: "return void socket.destroy();",
		to: "",
		tests: ["test/contract/connections.test.ts"],
	},
	{
		file: "src/http/rate-limit.ts",
		from: "now = () => performance.now()",
		to: "now = () => Date.now()",
		tests: ["test/contract/operations.test.ts"],
	},
	{
		file: "src/http/connection.ts",
		from: "if (this.#underWay.length < underWayMax && ",
		to: "if (",
		tests: ["test/contract/pipelining.test.ts"],
	},
	{
		file: "src/http/connection.ts",
		from: "return this.#unsent > 0 && ",
		to: "return false && ",
		tests: ["test/contract/pipelining.test.ts"],
	},
	{
		file: "src/http/connection.ts",
		from: "return this.#underWay.length === 0 && ",
		to: "return ",
		tests: ["test/contract/pipelining.test.ts"],
	},
	{
		file: "src/http/checks.ts",
		from: "if (overload.isLate()) exchange.closeAfter();",
		to: "",
		tests: ["test/operations/reply-log.test.ts"],
	},
	{
		file: "src/http/listen.ts",
		from: "quietTicks < 2 && ",
		to: "false && ",
		tests: ["test/operations/stopping.test.ts"],
	},
	{
		file: "src/http/listen.ts",
		from: "if (phase) phase.isClosing = true;",
		to: "",
		tests: ["test/operations/stopping.test.ts"],
	},
	{
		file: "src/http/overload.ts",
		from: "ownShare() >= limits.ownShare",
		to: "true",
		tests: ["src/http/overload.test.ts"],
	},
	{
		file: "src/service.ts",
		from: "createProbes(readSources, () => phase.isStopping)",
		to: "createProbes(readSources, () => false)",
		tests: ["test/operations/stopping.test.ts"],
	},
];
