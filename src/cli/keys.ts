// `animal-store keys …` manages the API keys of the store that DATABASE_URL names, also while the service runs.

import { randomBytes } from "node:crypto";
import { Command, InvalidArgumentError, Option } from "commander";
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
import { adviseAsCalled, examples, formatTable, printJson, timeFromNow, toStdout } from "./output.ts";

export function keysCommand(): Command {
	const keys = new Command("keys").description("create, list, rotate and revoke API keys");
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
				else console.error(`${id} is revoked`);
			}),
		);
	for (const command of keys.commands) withDatabase(command);
	keys
		.command("generate")
		.description("print a new key without storing it, for API_KEY")
		.option("--json", "the result as JSON")
		.action(({ json }: DatabaseOptions) => printKey(keyFromRandom(randomBytes(32)), { json }));
	return keys;
}

interface CreateOptions extends DatabaseOptions {
	name: string;
	scopes: Scope[];
	expires?: number;
	rate?: string;
}

async function create({ name, scopes, expires, rate, json, databaseUrl }: CreateOptions): Promise<void> {
	const onCreate = (place: string) => console.error(`created a new store: ${place}`);
	const issue = async (issuer: Issuer) => {
		const { id, key } = await createKey(issuer, { name, scopes, expiresInMs: expires, rate });
		if (!json) console.error(`created ${id}; its key is shown only this once:`);
		printKey(key, { id, json });
	};
	await withIssuer({ databaseUrl }, issue, { onCreate });
}

async function list({ json = false, databaseUrl }: DatabaseOptions): Promise<void> {
	const rows = await withStore({ databaseUrl }, (store) => store.keys.list());
	const now = Date.now();
	const keys = rows.map((row) => describeKey(row, now));
	if (json) return printJson(keys);
	if (keys.length === 0)
		return console.error(adviseAsCalled("there are no keys yet: animal-store keys create --name N"));
	await toStdout(keyTable(keys, now));
}

const deprecatedOperations = Object.entries<Operation>(operations)
	.filter(([, { deprecation }]) => deprecation)
	.map(([name]) => name);

/** A key as `keys list --json` shows it; times are ISO 8601. */
export type ShownKey = ReturnType<typeof describeKey> & Partial<Record<`${string}LastUsed`, string | null>>;

function describeKey(row: ListedKey, nowMs: number) {
	const uses = Object.values(row.usedAtMs);
	const time = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());
	return {
		id: row.id,
		name: row.name,
		state: row.revokedAtMs !== undefined ? "revoked" : isWorking(row, nowMs) ? "working" : "expired",
		last4: row.secret.last4,
		scopes: row.scopes,
		rate: row.rate ?? null,
		created: time(row.createdAtMs),
		expires: time(row.secret.expiresAtMs),
		revoked: time(row.revokedAtMs),
		lastUsed: time(uses.length > 0 ? Math.max(...uses) : undefined),
		...Object.fromEntries(deprecatedOperations.map((name) => [`${name}LastUsed`, time(row.usedAtMs[name])])),
	};
}

const tableWidthMax = 100;
const nameWidthMin = 8;

/** Short names and times as "2 h ago", so that lines have at most 100 columns. */
export function keyTable(keys: readonly ShownKey[], nowMs: number): AsyncGenerator<string> {
	const time = (at: string | null | undefined) => (at ? timeFromNow(Date.parse(at), nowMs) : "-");
	const used = deprecatedOperations.filter((name) => keys.some((key) => key[`${name}LastUsed`]));
	const cells = keys.map((key) => ({
		id: key.id,
		name: key.name,
		state: key.state,
		last4: key.last4,
		scopes: key.scopes.map((scope) => scope.replace(/^pets:|:read$/, "")).join(),
		...(keys.some(({ rate }) => rate !== null) && { rate: key.rate ?? "-" }),
		expires: time(key.expires),
		used: time(key.lastUsed),
		...Object.fromEntries(used.map((name) => [name, time(key[`${name}LastUsed`])])),
	}));
	const titles = Object.keys(cells[0] ?? {});
	const rows = cells.map((key) => Object.values<string>(key));
	const widths = titles.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)));
	const excess = widths.reduce((sum, width) => sum + width + 2, -2) - tableWidthMax;
	const nameWidth = Math.max(nameWidthMin, (widths[1] ?? 0) - excess);
	const cut = (name: string) => (name.length > nameWidth ? `${name.slice(0, nameWidth - 1)}…` : name);
	return formatTable([rows.map(([id = "", name = "", ...others]) => [id, cut(name), ...others])], titles, true);
}

async function withIssuer(flags: Flags, work: (issuer: Issuer) => Promise<void>, options?: OpenOptions): Promise<void> {
	await changeStore(flags, ({ keys }) => work({ rows: keys, now: Date.now, random: randomBytes }), options);
}

/** The key alone, so that it can be piped. */
function printKey(key: string, { id, json = false }: { id?: string; json?: boolean | undefined }): void {
	if (json) printJson({ ...(id !== undefined && { id }), key });
	else process.stdout.write(`${key}\n`);
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
