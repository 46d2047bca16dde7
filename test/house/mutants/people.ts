// Faults in client, commands and console, each with the quickest test that detects it. The console is built again.

import type { Mutant } from "../mutant.ts";

export const mutants: Mutant[] = [
	{ file: "client/src/attempts.ts", from: "(429|50[234])", to: "(429|50[0234])", tests: ["test/client/calls.test.ts"] },
	{
		file: "src/cli/import.ts",
		from: ": [403, 429, 503]",
		to: ": [401, 403, 429, 503]",
		tests: ["test/cli/import.test.ts"],
	},
	{
		file: "console/src/look-up.ts",
		from: "keyId === info.id && ",
		to: "",
		tests: ["test/cli/exchanged-keys.test.ts"],
	},
	{
		file: "console/src/pet-panel.tsx",
		from: '<h2 dir="auto">{title}</h2>',
		to: '<h2 dir="auto" dangerouslySetInnerHTML={{ __html: title }} />',
		tests: ["test/console/console.test.ts"],
	},
];
