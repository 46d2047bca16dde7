// The test files of each source folder. The tests in the folder itself, and files with a word of the source's name
// (`keys.test.ts` for `keys.ts`, `import.test.ts` for `import-send.ts`), run first, because the first failure detects
// the mutant.

import { globSync } from "node:fs";
import { basename } from "node:path";

/** Folders of test. */
const rooms: Record<string, string> = {
	"src/contract": "contract",
	"src/files": "cli,console",
	"src/http": "contract,operations,console,store",
	"src/keys": "contract,cli",
	"src/ops": "operations,contract,store,cli",
	"src/store": "store,cli,contract,operations",
	"src/cli": "cli,store,contract",
	"client/src": "client",
	"console/src": "console,cli",
};

const roomNames = Object.keys(rooms);

/** The test files for a source file, in the order in which they run. @throws Error if no folder has it */
export function testsFor(file: string, root: string): string[] {
	const room = roomNames.find((name) => file.startsWith(`${name}/`));
	if (!room) throw new Error(`${file} is in no room that has tests: ${roomNames.join(", ")}`);
	const [stem = ""] = basename(file).split(".");
	const folders = (rooms[room] ?? "").split(",").map((folder) => `test/${folder}/*.test.ts`);
	const all = [`${room}/**/*.test.ts`, ...folders, "test/house/types.test.ts"].flatMap((glob) =>
		globSync(glob, { cwd: root }).sort(),
	);
	const words = stem.split("-");
	const isNamesake = (path: string) =>
		basename(path, ".test.ts")
			.split("-")
			.some((word) => words.includes(word));
	return [...all.filter(isNamesake), ...all.filter((path) => !isNamesake(path))];
}
