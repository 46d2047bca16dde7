// Which test files watch over which sources: the quickest first, because the first that fails has seen the mutant. The tests in the
// folder itself, and files named like the source (`paging.test.ts` for `paging.ts`), go before all others.

import { existsSync, globSync } from "node:fs";
import { basename, join } from "node:path";

/** Names of files in test, without `.test.ts`. */
const rooms: Record<string, string> = {
	"src/contract": "openapi body corpus properties model",
	"src/files": "files import export exchanged-keys console-many",
	"src/http": `check-order corpus body paging model credentials idempotency operations activity secrets
		console-files framing pipelining connections ops-port reply-log metrics stopping hostile docs-page faults proxies`,
	"src/keys": "credentials corpus keys-command operations secrets serve-command",
	"src/ops": "operations metrics activity ops-port reply-log stopping background edits serve-command nodes",
	"src/store": `store-sqlite store-file lost-file scheduled-backups verify backup large-store store-log store-postgres
		refused-postgres engines-postgres schema migrations edits edits-command erase commit stopping idempotency copy faults background
		fault-points faults-postgres histories-postgres nodes tls-postgres pool-postgres keys-command promises http-postgres`,
	"src/cli": `config-command keys-command edits edits-command pets-command import export import-interrupted exchanged-keys copy
		verify backup scheduled-backups erase serve-command openapi secrets`,
	"client/src": "client-calls client-options client",
	"console/src":
		"console-files console console-find console-many console-faults exchanged-keys console-activity console-look",
};

const roomNames = Object.keys(rooms);

/** The test files for a source file, in the order in which they are tried. @throws Error where it is in no room */
export function testsFor(file: string, root: string): string[] {
	const room = roomNames.find((name) => file.startsWith(`${name}/`));
	if (!room) throw new Error(`${file} is in no room that has tests: ${roomNames.join(", ")}`);
	const [stem = ""] = basename(file).split(".");
	const named = (rooms[room] ?? "").split(/\s+/).map((name) => `test/${name}.test.ts`);
	for (const path of named)
		if (!existsSync(join(root, path))) throw new Error(`${path}, named for ${room}, is not there`);
	const all = [...globSync(`${room}/**/*.test.ts`, { cwd: root }), ...named];
	const isNamesake = (path: string) => basename(path) === `${stem}.test.ts`;
	return [...all.filter(isNamesake), ...all.filter((path) => !isNamesake(path))];
}
