// Faults of the connections to PostgreSQL: too few of them, standbys, a read-only primary, and the URL that names the server.

import type { Mutant } from "../mutant.ts";

const pool = ["test/pool-postgres.test.ts"];
const url = ["src/store/postgres/url.test.ts"];
const tls = ["test/tls-postgres.test.ts"];

export const mutants: Mutant[] = [
	{ file: "src/store/postgres/connections.ts", from: "this.#open === 0 || ", to: "true || ", tests: pool },
	{ file: "src/store/postgres/connections.ts", from: "min: 1", to: "min: 0", tests: pool },
	{
		file: "src/store/postgres/connections.ts",
		from: "if (rows[0].isStandby) throw",
		to: "if (!rows) throw",
		tests: pool,
	},
	{ file: "src/store/postgres/connections.ts", from: "codeOf(error) !== readOnly ||", to: "true ||", tests: pool },
	{
		file: "src/store/postgres/connections.ts",
		from: "client.leftBefore === left.count",
		to: "client.leftBefore > -1",
		tests: pool,
	},
	{ file: "src/service.ts", from: "connectionsMax: config.databasePoolMax,", to: "", tests: pool },
	{ file: "src/store/postgres/url.ts", from: "if (!accepted.includes(name))", to: "if (!name)", tests: url },
	{ file: "src/store/postgres/url.ts", from: "	checkSingle(server);\n", to: "", tests: url },
	{ file: "src/store/postgres/url.ts", from: '.replaceAll("#", "%23")', to: "", tests: url },
	{ file: "src/store/postgres/url.ts", from: 'query.replaceAll("+", "%2B")', to: "query", tests: url },
	{ file: "src/store/postgres/url.ts", from: "	checkSslMode(parameters);\n", to: "", tests: url },
	{ file: "src/store/postgres/tls.ts", from: ", { useLibpqCompat: true }", to: "", tests: tls },
	{ file: "src/cli/config.ts", from: "withoutPassword(text)", to: "text", tests: ["test/config-command.test.ts"] },
];
