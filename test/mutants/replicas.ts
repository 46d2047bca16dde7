// Faults of reads from replicas, and the test that sees each.

import type { Mutant } from "../mutant.ts";

const tests = ["test/replicas.test.ts"];
const marks = "src/store/postgres/marks.ts";
const reads = "src/store/postgres/reads.ts";
const replicas = "src/store/postgres/replicas.ts";
const open = "src/store/postgres/open.ts";

export const mutants: Mutant[] = [
	{ file: marks, from: "reach <= shown.pets && ", to: "", tests },
	{ file: marks, from: " && reach <= primary.pets", to: "", tests },
	{ file: marks, from: " && shown.edits === primary.edits", to: "", tests },
	{ file: marks, from: "shown.history === primary.history && ", to: "", tests },
	{ file: marks, from: ", current_database())", to: ")", tests },
	{ file: marks, from: " WHERE pg_is_in_recovery()", to: "", tests },
	{ file: replicas, from: "(server === fencedServer ? toMark(text) : undefined)", to: "toMark(text)", tests },
	{
		file: replicas,
		from: "		replica.mark = undefined;\n		replica.restsUntilMs = performance.now() + restMs;",
		to: "",
		tests,
	},
	{
		file: reads,
		from: "if (!shown || !hasSameEdits(shown, primary)) {\n			replica.mark = undefined;",
		to: "if (!shown || !hasSameEdits(shown, primary)) {",
		tests,
	},
	{ file: open, from: "rows.length > limit ? (rows.at(-1)?.[0] as bigint) : endOfList", to: "0n", tests },
	{ file: open, from: "reach: () => last", to: "reach: () => 0n", tests },
];
