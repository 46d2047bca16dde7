// Faults of the connections to PostgreSQL: too few of them, several servers, poolers, and the URL that names them.

import type { Mutant } from "../mutant.ts";

const pool = ["test/pool-postgres.test.ts"];
const url = ["src/store/postgres/url.test.ts"];

export const mutants: Mutant[] = [
	{ file: "src/store/postgres/connections.ts", from: "mayTryAgain && this.#open.size > 0", to: "false", tests: pool },
	{ file: "src/store/postgres/connections.ts", from: "min: 1", to: "min: 0", tests: pool },
	{ file: "src/store/postgres/connections.ts", from: "|| client.processID === processId", to: "|| true", tests: pool },
	{ file: "src/store/postgres/connections.ts", from: "isNameTaken = true;", to: "", tests: pool },
	{
		file: "src/store/postgres/connections.ts",
		from: "if (isStandby) throw",
		to: "if (!rows) throw",
		tests: pool,
	},
	{ file: "src/store/postgres/connections.ts", from: "codeOf(error) !== readOnly ||", to: "true ||", tests: pool },
	{
		file: "src/store/postgres/connections.ts",
		from: "client.generation === servers.generation",
		to: "client.generation > -1",
		tests: pool,
	},
	{ file: "src/service.ts", from: "connectionsMax: config.databasePoolMax,", to: "", tests: pool },
	{ file: "src/store/postgres/url.ts", from: "if (!accepted.includes(known))", to: "if (!known)", tests: url },
	{ file: "src/store/postgres/url.ts", from: 'text === "primary" || ', to: 'text === "any" || ', tests: url },
	{ file: "src/cli/config.ts", from: ".map(withoutPassword)", to: "", tests: ["test/config-command.test.ts"] },
];
