// Faults in keys, client, commands and console. For faults of the console, the console is built again.

import type { Faults } from "../mutants.ts";

export const faults: Faults = {
	"src/keys/key-check.test.ts": [["src/keys/key-check.ts", " || ageMs > trustedForMs", ""]],
	"test/cli/import.test.ts": [["src/cli/import.ts", "&& [404, 429, 503]", "&& [401, 404, 429, 503]"]],
	"test/cli/importer.test.ts": [
		["src/files/importer.ts", "ahead[place] ??= read();", "ahead[place] = read();"],
		["src/files/import-request.ts", "Date.now() - attempts.sinceMs > repeatedForMs", "false"],
	],
	"test/client/attempts.test.ts": [["client/src/attempts.ts", "(429|50[234])", "(429|50[0234])"]],
	"test/client/calls.test.ts": [
		["client/src/index.ts", "if (error instanceof AnimalStoreError) error.idempotencyKey = idempotencyKey;", ""],
	],
	"test/console/edits.test.ts": [
		["console/src/use-editing.ts", ": result ? result.pet : pet, -1);", ": shown[index], -1);"],
	],
	"test/console/session.test.ts": [
		["console/src/kept-key.ts", "return untilMs !== undefined && signOuts !== signOutsNow();", "return false;"],
		["console/src/use-session.ts", "if (ended) dropKey(ended);", ""],
		["console/src/use-session.ts", "if (!isOnComputer) leaveComputer();", ""],
	],
	"test/contract/credentials.test.ts": [
		["src/keys/issue.ts", "newSecret(key, nowMs, lifetimeMs)", "newSecret(key, nowMs, undefined)"],
	],
	"test/store/sqlite.test.ts": [
		["src/store/sqlite/reads.ts", "absent?.version === now && absent.hash", "absent?.hash"],
	],
};
