// Faults of HTTP and of the ports, each with the quickest test that detects it.

import type { Mutant } from "../mutant.ts";

export const mutants: Mutant[] = [
	{
		file: "src/http/checks.ts",
		from: 'if (access === "open") return;',
		to: 'if (access === "open" || access === undefined) return;',
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
		from: 'if (isUploading) refusals.refuseInTurn(connection, new ApiError("request_timeout"));\n\telse connection',
		to: "connection",
		tests: ["test/contract/framing.test.ts"],
	},
	{
		file: "src/http/listen.ts",
		from: 'connection.on("error", () => {});',
		to: "",
		tests: ["test/contract/connections.test.ts"],
	},
	{
		file: "src/http/intake.ts",
		from: "Buffer.concat([before, waiting.subarray(0, overlap)]).indexOf(emptyLine) : -1",
		to: "-1 : -1",
		tests: ["test/contract/framing.test.ts"],
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
		file: "src/http/intake.ts",
		from: "return this.#reads >= this.#readsMax || (underWay + 1) * this.#expected > unsentMax;",
		to: "return false;",
		tests: ["test/contract/hostile.test.ts"],
	},
	{
		file: "src/http/turns.ts",
		from: "now() < openedAtMs + factor * turnMs",
		to: "true",
		tests: ["src/http/turns.test.ts"],
	},
	{
		file: "src/http/intake.ts",
		from: "if (this.#shared.turns.isCrowded()) return void this.#rest();",
		to: "",
		tests: ["src/http/intake.test.ts"],
	},
	{
		file: "src/http/drain.ts",
		from: "emptyTurnMs * 2 ** ((nowMs - startedAtMs) / doublingMs)",
		to: "emptyTurnMs",
		tests: ["test/operations/stopping.test.ts"],
	},
	{
		file: "src/http/drain.ts",
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
		from: "createProbes(sources, () => phase.isStopping)",
		to: "createProbes(sources, () => false)",
		tests: ["test/operations/stopping.test.ts"],
	},
];
