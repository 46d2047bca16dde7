// The test files of each source folder, the quickest first, because the first failure detects the mutant. The tests in
// the folder itself, and files with a word of the source's name (`keys.test.ts` for `keys.ts`, `import.test.ts` for
// `import-send.ts`), run first.

import { existsSync, globSync } from "node:fs";
import { basename, join } from "node:path";

/** Files in test, without `.test.ts`. */
const rooms: Record<string, string> = {
	"src/contract": `contract/openapi contract/body contract/corpus contract/properties contract/model`,
	"src/files": `cli/files cli/import cli/export cli/importer console/many`,
	"src/http": `contract/check-order contract/corpus contract/body contract/paging contract/model contract/credentials
		contract/idempotency contract/operations operations/activity contract/secrets console/files
		contract/edits contract/exports contract/find contract/imports contract/framing contract/pipelining
		contract/connections operations/ops-port operations/reply-log
		operations/metrics operations/stopping contract/hostile console/docs-page store/faults contract/proxies`,
	"src/keys": `contract/credentials contract/corpus cli/keys contract/operations contract/secrets cli/serve`,
	"src/ops": `contract/operations operations/metrics operations/activity operations/ops-port operations/reply-log
		operations/stopping store/background store/edits cli/serve store/nodes`,
	"src/store": `store/sqlite store/file store/lost-file store/scheduled-backups store/verify store/backup
		store/large-store store/log store/postgres store/refused-postgres store/engines-postgres store/schema
		store/migrations store/edits cli/edits store/erase store/erasing store/commit operations/stopping contract/idempotency
		store/copy store/faults store/background store/fault-points store/faults-postgres
		store/histories-postgres store/nodes store/tls-postgres store/pool-postgres cli/keys store/promises
		contract/http-postgres`,
	"src/cli": `cli/config cli/keys store/edits cli/edits cli/pets cli/import cli/export cli/import-interrupted
		cli/importer store/copy store/verify store/backup store/scheduled-backups store/erase store/engines-postgres cli/serve
		contract/openapi contract/secrets`,
	"client/src": `client/calls client/options client/client`,
	"console/src": `console/files console/console console/find console/many console/faults cli/importer
		console/activity console/look console/session console/edits`,
};

const roomNames = Object.keys(rooms);

/** The test files for a source file, in the order in which they run. @throws Error if no folder has it */
export function testsFor(file: string, root: string): string[] {
	const room = roomNames.find((name) => file.startsWith(`${name}/`));
	if (!room) throw new Error(`${file} is in no room that has tests: ${roomNames.join(", ")}`);
	const [stem = ""] = basename(file).split(".");
	const named = (rooms[room] ?? "").split(/\s+/).map((name) => `test/${name}.test.ts`);
	for (const path of named)
		if (!existsSync(join(root, path))) throw new Error(`${path}, named for ${room}, does not exist`);
	const all = [...globSync(`${room}/**/*.test.ts`, { cwd: root }), ...named, "test/house/types.test.ts"];
	const words = stem.split("-");
	const isNamesake = (path: string) =>
		basename(path, ".test.ts")
			.split("-")
			.some((word) => words.includes(word));
	return [...all.filter(isNamesake), ...all.filter((path) => !isNamesake(path))];
}
