// Faults of the settings: the file of --env-file, and the order of their sources.

import type { Mutant } from "../mutant.ts";

const parser = ["src/env-file.test.ts"];
const command = ["test/config-command.test.ts"];

export const mutants: Mutant[] = [
	{ file: "src/env-file.ts", from: "[\\s\"'#$`\\\\]", to: "[\\s\"'#`\\\\]", tests: parser },
	{ file: "src/env-file.ts", from: "end < given.length - 1", to: "end > given.length", tests: parser },
	{ file: "src/env-file.ts", from: "given.slice(1, -1)", to: "given", tests: parser },
	{ file: "src/env-file.ts", from: "Object.hasOwn(lines, name)", to: "false", tests: parser },
	{ file: "src/env-file.ts", from: "given === quote + quote", to: "given === quote", tests: parser },
	{ file: "src/config.ts", from: "if (!statSync(path).isFile())", to: "if (false)", tests: command },
	{ file: "src/config.ts", from: "{ fatal: true }", to: "{}", tests: command },
	{
		file: "src/config.ts",
		from: "[flags, environment, file?.values ?? {}]",
		to: "[flags, environment]",
		tests: command,
	},
	{
		file: "src/config.ts",
		from: "if (knownNames.has(name)) return undefined;\n",
		to: "if (name) return undefined;\n",
		tests: command,
	},
	{ file: "src/cli/keys.ts", from: "\t\tsayStore(databaseUrl);\n", to: "", tests: command },
];
