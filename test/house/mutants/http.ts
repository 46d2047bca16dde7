// Faults in HTTP, in pages and their links, in the headers of proxies and in the ports.

import type { Faults } from "../mutants.ts";

export const faults: Faults = {
	"src/http/admission.test.ts": [["src/http/admission.ts", "ownShare() >= limits.ownShare", "true"]],
	"test/contract/connections.test.ts": [
		["src/http/listen.ts", 'socket.on("error", () => {});', ""],
		["src/http/traffic.ts", "return void socket.destroy();", ""],
		["src/http/traffic.ts", "isTrustedProxy?.(address) ?", "false ?"],
		[
			"src/http/listen.ts",
			`if (upload?.socket && !upload.headersSent) refuse(connection, new ApiError("request_timeout"));
		else `,
			"",
		],
	],
	"test/contract/corpus.test.ts": [
		[
			"src/http/checks.ts",
			'if (access === "open") return;\n\t\tconst found = findKey',
			'if (access === "open" || access === undefined) return;\n\t\tconst found = findKey',
		],
		["src/http/paging.ts", "{ upTo: after }", "{ upTo: after - 1n }"],
		["src/http/router.ts", '...(isOpen && { access: "open" })', 'access: "open"'],
		["src/http/routes.ts", "access: scope,", ""],
	],
	"test/contract/operations.test.ts": [
		["src/http/admission.ts", "now = () => performance.now()", "now = () => Date.now()"],
	],
	"test/contract/paging.test.ts": [
		["src/http/paging.ts", "ids.first - 1n", "ids.first"],
		["src/http/paging.ts", "cursors.write(position, query)", "cursors.write(position, {})"],
	],
	"test/contract/pipelining.test.ts": [
		["src/http/connection.ts", "if (this.#underWay.length < underWayMax && ", "if ("],
		["src/http/connection.ts", "return this.#underWay.length === 0 && ", "return "],
	],
	"test/contract/replies.test.ts": [
		["src/http/response-cache.ts", "now.lastEdit === version.lastEdit &&", ""],
		["src/http/response-cache.ts", "(isSettled || now.lastId === version.lastId)", "isSettled !== undefined"],
	],
	"test/operations/reply-log.test.ts": [
		["src/http/checks.ts", "if (overload.isLate()) exchange.closeAfter();", ""],
		["src/http/proxies.ts", "findLast((one) => !isTrustedProxy(one))", "at(-1)"],
	],
	"test/operations/stopping.test.ts": [
		["src/http/listen.ts", "quietTicks < 2 && ", "false && "],
		["src/http/listen.ts", "if (phase) phase.isClosing = true;", ""],
		["src/service.ts", "createProbes(readSources, () => phase.isStopping)", "createProbes(readSources, () => false)"],
	],
};
