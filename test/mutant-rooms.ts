// Which test files watch over which sources: the quickest first, because the first that fails has seen the mutant. Files named like the
// source (`paging.test.ts` for `paging.ts`) go before all others.

import { globSync } from "node:fs";
import { basename } from "node:path";

const rooms: Record<string, string[]> = {
	"src/contract": [
		"src/contract/*.test.ts",
		"test/openapi.test.ts",
		"test/body.test.ts",
		"test/query.test.ts",
		"test/properties.test.ts",
		"test/model.test.ts",
		"test/routes.test.ts",
	],
	"src/files": ["src/files/*.test.ts", "test/files.test.ts", "test/import.test.ts"],
	"src/http": [
		"src/http/*.test.ts",
		"test/check-order.test.ts",
		"test/cors.test.ts",
		"test/body.test.ts",
		"test/query.test.ts",
		"test/paging.test.ts",
		"test/model.test.ts",
		"test/routes.test.ts",
		"test/credentials.test.ts",
		"test/idempotency.test.ts",
		"test/deprecation.test.ts",
		"test/operations.test.ts",
		"test/activity.test.ts",
		"test/secrets.test.ts",
		"test/console-files.test.ts",
		"test/framing.test.ts",
		"test/connections.test.ts",
		"test/ops-port.test.ts",
		"test/reply-log.test.ts",
		"test/metrics.test.ts",
		"test/stopping.test.ts",
		"test/hostile.test.ts",
		"test/docs-page.test.ts",
		"test/faults.test.ts",
	],
	"src/keys": [
		"src/keys/*.test.ts",
		"test/credentials.test.ts",
		"test/deprecation.test.ts",
		"test/keys-command.test.ts",
		"test/operations.test.ts",
		"test/secrets.test.ts",
		"test/serve-command.test.ts",
	],
	"src/store": [
		"src/store/*.test.ts",
		"test/store-sqlite.test.ts",
		"test/store-file.test.ts",
		"test/lost-file.test.ts",
		"test/scheduled-backups.test.ts",
		"test/verify.test.ts",
		"test/backup.test.ts",
		"test/large-store.test.ts",
		"test/store-log.test.ts",
		"test/store-postgres.test.ts",
		"test/refused-postgres.test.ts",
		"test/engines-postgres.test.ts",
		"test/schema.test.ts",
		"test/migrations.test.ts",
		"test/edits.test.ts",
		"test/edits-command.test.ts",
		"test/erase.test.ts",
		"test/commit.test.ts",
		"test/stopping.test.ts",
		"test/idempotency.test.ts",
		"test/copy.test.ts",
		"test/faults.test.ts",
		"test/fault-points.test.ts",
		"test/faults-postgres.test.ts",
		"test/nodes.test.ts",
		"test/tls-postgres.test.ts",
		"test/pool-postgres.test.ts",
		"test/keys-command.test.ts",
		"test/promises.test.ts",
		"test/http-postgres.test.ts",
	],
	"client/src": ["test/client-calls.test.ts", "test/client-options.test.ts", "test/client.test.ts"],
};

const roomNames = Object.keys(rooms);

/** The test files for a source file, in the order in which they are tried. @throws Error where it is in no room */
export function testsFor(file: string, root: string): string[] {
	const room = roomNames.find((name) => file.startsWith(`${name}/`));
	if (!room) throw new Error(`${file} is in no room that has tests: ${roomNames.join(", ")}`);
	const [stem = ""] = basename(file).split(".");
	const all = (rooms[room] ?? []).flatMap((pattern) => globSync(pattern, { cwd: root }));
	const isNamesake = (path: string) => basename(path) === `${stem}.test.ts`;
	return [...all.filter(isNamesake), ...all.filter((path) => !isNamesake(path))];
}
