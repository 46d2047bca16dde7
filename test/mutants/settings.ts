// Faults of the settings: the file of --env-file, and the order of their sources.

import type { Mutant } from "../mutant.ts";

export const mutants: Mutant[] = [
	{ file: "src/env-file.ts", from: "[\\s\"'#$`\\\\]", to: "[\\s\"'#`\\\\]", tests: ["src/env-file.test.ts"] },
	{
		file: "src/config.ts",
		from: "[flags, environment, file?.values ?? {}]",
		to: "[flags, environment]",
		tests: ["test/config-command.test.ts"],
	},
];
