// Faults in client, commands and console, each with the quickest test that detects it. The console is built again.

import type { Mutant } from "../mutant.ts";

export const mutants: Mutant[] = [
	{ file: "client/src/attempts.ts", from: "(429|50[234])", to: "(429|50[0234])", tests: ["test/client/calls.test.ts"] },
	{
		file: "src/cli/import.ts",
		from: "&& [403, 429, 503]",
		to: "&& [401, 403, 429, 503]",
		tests: ["test/cli/import.test.ts"],
	},
	{
		file: "src/files/importer.ts",
		from: "upcoming ??= read();\n\t\tconst batch",
		to: "upcoming = read();\n\t\tconst batch",
		tests: ["test/cli/importer.test.ts"],
	},
	{
		file: "src/files/import-request.ts",
		from: "Date.now() - attempts.sinceMs > repeatedForMs",
		to: "false",
		tests: ["test/cli/importer.test.ts"],
	},
	{
		file: "console/src/kept-key.ts",
		from: "return kept.signOuts !== signOuts();",
		to: "return false;",
		tests: ["test/console/session.test.ts"],
	},
	{
		file: "console/src/use-session.ts",
		from: "if (held.current) dropKey(held.current);",
		to: "",
		tests: ["test/console/session.test.ts"],
	},
	{
		file: "console/src/use-editing.ts",
		from: ": result ? result.pet : pet, -1);",
		to: ": shown[index], -1);",
		tests: ["test/console/edits.test.ts"],
	},
	{
		file: "console/src/use-session.ts",
		from: "tabs.current?.keep(kept);",
		to: "",
		tests: ["test/console/session.test.ts"],
	},
];
