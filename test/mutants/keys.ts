// Faults of keys that the tests must see.

import type { Mutant } from "../mutant.ts";

export const mutants: Mutant[] = [
	{
		file: "src/keys/key-check.ts",
		from: "performance.now() - (readAt.get(hash) ?? Number.NEGATIVE_INFINITY) <= trustedForMs",
		to: "readAt.has(hash)",
		tests: ["src/keys/key-check.test.ts"],
	},
	{
		file: "src/keys/key-check.ts",
		from: "readAt.set(hash, readAtMs);",
		to: "",
		tests: ["src/keys/key-check.test.ts"],
	},
	{
		file: "src/keys/issue.ts",
		from: "newSecret(key, now(), lifetimeMs)",
		to: "newSecret(key, now(), undefined)",
		tests: ["test/credentials.test.ts"],
	},
	{
		file: "src/keys/issue.ts",
		from: "secret.expiresAtMs - secret.createdAtMs",
		to: "secret.expiresAtMs - now()",
		tests: ["test/credentials.test.ts"],
	},
	{
		file: "src/keys/key-check.ts",
		from: "if (!entry || ageMs > trustedForMs)",
		to: "if (!entry)",
		tests: ["test/credentials.test.ts"],
	},
	{
		file: "src/keys/key-check.ts",
		from: "if (ageMs > refreshAfterMs && !entry.isRefreshing) refresh(entry, hash);",
		to: "",
		tests: ["test/credentials.test.ts"],
	},
	{
		file: "src/keys/key-check.ts",
		from: "for (const { operation, keyId, usedAtMs } of list) {",
		to: "for (const { operation, keyId, usedAtMs } of [] as typeof list) {",
		tests: ["test/credentials.test.ts"],
	},
	{
		file: "src/keys/key-check.ts",
		from: "if (!usesOf(operation).has(keyId)) usesOf(operation)",
		to: "usesOf(operation)",
		tests: ["test/credentials.test.ts"],
	},
	{
		file: "src/keys/key-check.ts",
		from: "?? Number.POSITIVE_INFINITY) > nowMs",
		to: "?? Number.POSITIVE_INFINITY) >= nowMs",
		tests: ["test/credentials.test.ts"],
	},
	{
		file: "src/keys/key-check.ts",
		from: "row.revokedAtMs === undefined && ",
		to: "",
		tests: ["test/credentials.test.ts"],
	},
	{
		file: "src/keys/key-format.ts",
		from: "return checksum(text.slice(0, end)) === text.slice(end);",
		to: "return true;",
		tests: ["src/keys/keys.test.ts"],
	},
];
