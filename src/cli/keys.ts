// `animal-store keys …` manages the API keys of the store that DATABASE_URL names, even while the service runs.

import { randomBytes } from "node:crypto";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Flags } from "../config.ts";
import { parseRate } from "../contract/durations.ts";
import { defaultScopes, type Operation, operations, type Scope, scopes } from "../contract/operations.ts";
import { keyFromRandom } from "../keys/formats.ts";
import { createKey, type Issuer, revokeKey, rotateKey } from "../keys/issue.ts";
import { isWorking } from "../keys/key-check.ts";
import type { OpenOptions } from "../store/engine.ts";
import type { ListedKey } from "../store/store.ts";
import { parseDuration, parsePrintable } from "./arguments.ts";
import { changeStore, type DatabaseOptions, withDatabase, withStore } from "./connection.ts";
import { examples, formatTable, printJson, printResult, say, toStdout } from "./output.ts";

export function keysCommand(keys: Command): void {
	keys.description("create, list, rotate and revoke API keys");
	keys
		.command("create")
		.description("create a key and print it; it is shown only this once")
		.requiredOption("--name <name>", "what the key is for", parsePrintable)
		.addOption(
			new Option("--scopes <scopes>", `any of ${scopes.join(",")}`)
				.argParser(parseScopes)
				.default([...defaultScopes], defaultScopes.join()),
		)
		.option("--expires <duration>", "when it stops working, such as 90d; never if absent", parseDuration)
		.option("--rate <rate>", "requests in a window, such as 100/1m; the service's RATE_LIMIT if absent", checkRate)
		.addHelpText("after", examples("keys create --name shop --scopes pets:read,pets:write --expires 90d"))
		.action(create);
	keys.command("list").description("list all keys").action(list);
	keys
		.command("rotate")
		.description("replace a key's secret and print the new one; the old one works until the grace period ends")
		.argument("<id>", "the key's id, from keys list")
		.addOption(
			new Option("--grace <duration>", "how long the old secret works, such as 24h")
				.argParser(parseDuration)
				.default(24 * 3_600_000, "24h"),
		)
		.action((id: string, { grace, json, databaseUrl }: DatabaseOptions & { grace: number }) =>
			withIssuer({ databaseUrl }, async (issuer) => printKey(await rotateKey(issuer, id, grace), { id, json })),
		);
	keys
		.command("revoke")
		.description("disable a key permanently, within a second")
		.argument("<id>", "the key's id, from keys list")
		.action((id: string, { json, databaseUrl }: DatabaseOptions) =>
			withIssuer({ databaseUrl }, async (issuer) => {
				await revokeKey(issuer, id);
				if (json) printJson({ id, state: "revoked" });
				else say(`${id} is revoked`);
			}),
		);
	for (const command of keys.commands) withDatabase(command);
	keys
		.command("generate")
		.description("print a new key without storing it, for API_KEY")
		.option("--json", "the result as JSON")
		.action(({ json }: DatabaseOptions) => printKey(keyFromRandom(randomBytes(32)), { json }));
}

interface CreateOptions extends DatabaseOptions {
	name: string;
	scopes: Scope[];
	expires?: number;
	rate?: string;
}

async function create({ name, scopes, expires, rate, json, databaseUrl }: CreateOptions): Promise<void> {
	const onCreate = (location: string) => say(`created a new store: ${location}`);
	const issue = async (issuer: Issuer) => {
		const { id, key } = await createKey(issuer, { name, scopes, expiresInMs: expires, rate });
		if (!json) say(`created ${id}; its key is shown only this once:`);
		printKey(key, { id, json });
	};
	await withIssuer({ databaseUrl }, issue, { onCreate });
}

async function list({ json = false, databaseUrl }: DatabaseOptions): Promise<void> {
	const rows = await withStore({ databaseUrl }, (store) => store.keys.list());
	const nowMs = Date.now();
	if (json) return printJson(rows.map((row) => describeKey(row, nowMs)));
	if (rows.length === 0) return say("there are no keys yet: animal-store keys create --name N");
	await toStdout(formatTable([rows.map((row) => cellsOf(row, nowMs))], titles));
}

const deprecatedOperations = Object.entries<Operation>(operations)
	.filter(([, { deprecation }]) => deprecation)
	.map(([name]) => name);

const timeOf = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());

function describeKey(row: ListedKey, nowMs: number) {
	const uses = Object.values(row.usedAtMs);
	return {
		id: row.id,
		name: row.name,
		state: row.revokedAtMs !== undefined ? "revoked" : isWorking(row, nowMs) ? "working" : "expired",
		last4: row.secret.last4,
		scopes: row.scopes,
		rate: row.rate ?? null,
		created: timeOf(row.createdAtMs),
		expires: timeOf(row.secret.expiresAtMs),
		revoked: timeOf(row.revokedAtMs),
		lastUsed: timeOf(uses.length > 0 ? Math.max(...uses) : undefined),
		...Object.fromEntries(deprecatedOperations.map((name) => [`${name}LastUsed`, timeOf(row.usedAtMs[name])])),
	};
}

const titles = ["id", "name", "state", "last4", "scopes", "rate", "expires", "used", ...deprecatedOperations];

function cellsOf(row: ListedKey, nowMs: number): string[] {
	const { id, name, state, last4, scopes, rate, expires, lastUsed } = describeKey(row, nowMs);
	const used = deprecatedOperations.map((operation) => timeOf(row.usedAtMs[operation]));
	const minutes = [expires, lastUsed, ...used].map((time) => time?.replace(/:\d\d\.\d+/, "") ?? "-");
	return [id, name, state, last4, scopes.join(), rate ?? "-", ...minutes];
}

async function withIssuer(flags: Flags, work: (issuer: Issuer) => Promise<void>, options?: OpenOptions): Promise<void> {
	await changeStore(flags, ({ keys }) => work({ rows: keys, now: Date.now, random: randomBytes }), options);
}

/** Without --json, prints only the key, so that it can be piped. */
function printKey(key: string, { id, json = false }: { id?: string; json?: boolean | undefined }): void {
	if (json) printJson({ ...(id !== undefined && { id }), key });
	else printResult(false, {}, key);
}

function parseScopes(text: string): string[] {
	const wanted = [...new Set(text.split(/[ ,]+/))];
	if (wanted.every((scope) => (scopes as readonly string[]).includes(scope))) return wanted;
	throw new InvalidArgumentError(`It must be one or more of ${scopes.join(",")}.`);
}

function checkRate(text: string): string {
	if (parseRate(text)) return text;
	throw new InvalidArgumentError("It must be a number of requests and a window, such as 100/1m.");
}
