// `animal-store keys …` manages the API keys of the store that DATABASE_URL names, also while the service runs.

import { randomBytes } from "node:crypto";
import { Command, InvalidArgumentError } from "commander";
import { readConfig } from "../config.ts";
import { type Operation, operations, type Scope, scopes } from "../contract/operations.ts";
import { createKey, type Issuer, revokeKey, rotateKey } from "../keys/issue.ts";
import { isWorking } from "../keys/key-check.ts";
import { keyFromRandom } from "../keys/key-format.ts";
import { parseRate } from "../keys/rate.ts";
import { openStore } from "../store/open.ts";
import type { ListedKey, OpenOptions } from "../store/store.ts";
import { parseDuration } from "./arguments.ts";
import { adviseAsCalled } from "./command-name.ts";

export function keysCommand(): Command {
	const keys = new Command("keys").description("create, list, rotate and revoke API keys");
	keys
		.command("create")
		.description("create a key and print it; it is shown only this once")
		.requiredOption("--name <name>", "what the key is for", parseName)
		.option("--scopes <scopes>", `any of ${scopes.join(",")}`, parseScopes, [...scopes])
		.option("--expires <duration>", "when it stops working, such as 90d", parseDuration)
		.option("--rate <rate>", "requests in a window, such as 100/1m", checkRate)
		.action(create);
	keys.command("list").description("list all keys").option("--json", "as JSON").action(list);
	keys
		.command("rotate")
		.description("replace a key's secret and print the new one; the old one works until the grace period ends")
		.argument("<id>", "the key's id, from keys list")
		.option("--grace <duration>", "how long the old secret works, such as 24h", parseDuration, 24 * 3_600_000)
		.action((id: string, { grace }: { grace: number }) =>
			withIssuer(async (issuer) => print(await rotateKey(issuer, id, grace))),
		);
	keys
		.command("revoke")
		.description("disable a key permanently, within a second")
		.argument("<id>", "the key's id, from keys list")
		.action((id: string) =>
			withIssuer(async (issuer) => {
				await revokeKey(issuer, id);
				console.error(`${id} is revoked`);
			}),
		);
	keys
		.command("generate")
		.description("print a new key without storing it, for API_KEY")
		.action(() => print(keyFromRandom(randomBytes(32))));
	return keys;
}

interface CreateOptions {
	name: string;
	scopes: Scope[];
	expires?: number;
	rate?: string;
}

async function create({ name, scopes, expires, rate }: CreateOptions): Promise<void> {
	const onCreate = (place: string) => console.error(`created a new store: ${place}`);
	const issue = async (issuer: Issuer) => {
		const { id, key } = await createKey(issuer, { name, scopes, expiresInMs: expires, rate });
		console.error(`created ${id}; its key is shown only this once:`);
		print(key);
	};
	await withIssuer(issue, { onCreate });
}

/** The list shows when each key last called these operations. */
const deprecated = Object.entries<Operation>(operations)
	.filter(([, { deprecation }]) => deprecation)
	.map(([name]) => name);

async function list({ json = false }: { json?: boolean }): Promise<void> {
	await withIssuer(async ({ rows, now }) => {
		const keys = (await rows.list()).map((row) => describeKey(row, now()));
		if (json) return print(JSON.stringify(keys, null, 2));
		if (keys.length === 0)
			return console.error(adviseAsCalled("there are no keys yet: animal-store keys create --name N"));
		const columns = [
			"id",
			"name",
			"state",
			"last4",
			"scopes",
			"rate",
			"created",
			"expires",
			"lastUsed",
			...deprecated.map((name) => `${name}LastUsed`),
		];
		const lines = [columns.map(String), ...keys.map((key) => columns.map((column) => String(key[column] ?? "-")))];
		const widths = columns.map((_, index) => Math.max(...lines.map((line) => (line[index] ?? "").length)));
		for (const line of lines)
			print(
				line
					.map((cell, index) => cell.padEnd(widths[index] ?? 0))
					.join("  ")
					.trimEnd(),
			);
	});
}

function describeKey(row: ListedKey, nowMs: number): Record<string, string | null> {
	const uses = Object.values(row.usedAtMs);
	const time = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());
	return {
		id: row.id,
		name: row.name,
		state: row.revokedAtMs !== undefined ? "revoked" : isWorking(row, nowMs) ? "working" : "expired",
		last4: row.secret.last4,
		scopes: row.scopes.join(","),
		rate: row.rate ?? null,
		created: time(row.createdAtMs),
		expires: time(row.secret.expiresAtMs),
		revoked: time(row.revokedAtMs),
		lastUsed: time(uses.length > 0 ? Math.max(...uses) : undefined),
		...Object.fromEntries(deprecated.map((name) => [`${name}LastUsed`, time(row.usedAtMs[name])])),
	};
}

/** Refuses a mistyped DATABASE_URL, unless the command may create a store. */
async function withIssuer(
	work: (issuer: Issuer) => Promise<void>,
	options: OpenOptions = { mustExist: true },
): Promise<void> {
	const store = await openStore(readConfig().databaseUrl, Date.now, options);
	try {
		await work({ rows: store.keys, now: Date.now, random: randomBytes });
	} finally {
		await store.close();
	}
}

function print(line: string): void {
	process.stdout.write(`${line}\n`);
}

function parseName(text: string): string {
	if (/^\P{C}{1,100}$/u.test(text)) return text;
	throw new InvalidArgumentError("It must be 1 to 100 printable characters.");
}

function parseScopes(text: string): string[] {
	const wanted = [...new Set(text.split(/[ ,]+/))];
	if (wanted.every((scope) => (scopes as readonly string[]).includes(scope))) return wanted;
	throw new InvalidArgumentError(`It must be any of ${scopes.join(",")}.`);
}

function checkRate(text: string): string {
	if (parseRate(text)) return text;
	throw new InvalidArgumentError("It must be a number of requests and a window, such as 100/1m.");
}
