// The settings: one table of names, rules, defaults and readers.

import { parseDurationMs, parseRate } from "./contract/durations.ts";
import { parseTrustedProxies } from "./http/proxies.ts";
import { isWellFormedKey } from "./keys/formats.ts";
import { parsePostgresUrl } from "./store/postgres/url.ts";

/** A setting and how its text becomes a value. */
export interface Setting<Value = unknown> {
	/** Describes a valid text, for error messages and help: the end of a sentence after "must be". */
	rule: string;
	/** @returns undefined for a text that breaks the rule @throws InvalidUrl */
	read: (text: string) => Value | undefined;
	/** The text if the setting is not given. A setting without a default is then off. */
	default?: string;
}

type Reader<Value> = Setting<Value>["read"];

export function setting<Value>(rule: string, read: Reader<Value>, preset: string): Setting<Value> {
	return { rule, read, default: preset };
}

export function optional<Value>(rule: string, read: Reader<Value>): Setting<Value | undefined> {
	return { rule, read };
}

export function matching(pattern: RegExp): Reader<string> {
	return (text) => (pattern.test(text) ? text : undefined);
}

function integer(min: number, max: number): Reader<number> {
	return (text) => {
		const number = /^(?:0|[1-9][0-9]{0,8})$/.test(text) ? Number(text) : Number.NaN;
		return number >= min && number <= max ? number : undefined;
	};
}

const host = setting("a host name or an IP address", matching(/^[A-Za-z0-9.:_-]+$/), "127.0.0.1");
const port = (preset: string) =>
	setting("an integer from 0 to 65535, where 0 picks a free port", integer(0, 65535), preset);

/** Accepts at most 999 minutes, which a timer can wait. */
function shortDuration(text: string): number | undefined {
	return /^[1-9][0-9]{0,2}[sm]$/.test(text) ? parseDurationMs(text) : undefined;
}

function databaseUrl(text: string): string | undefined {
	if (/^sqlite:(?!.*:\/\/).*[^/]$/.test(text)) return text; // No `://`: messages would show a URL's password.
	if (!/^postgres(ql)?:\/\/.*$/.test(text)) return undefined;
	parsePostgresUrl(text);
	return text;
}

/** @returns the address with `/v1` at its end */
function baseUrl(text: string): string | undefined {
	if (!/^https?:\/\/[^\s/?#]+(\/[^\s?#]*)?$/.test(text)) return undefined;
	return text.replace(/\/+$/, "").replace(/(?<!\/v1)$/, "/v1");
}

function origins(text: string): string[] | undefined {
	return /^https?:\/\/[^\s/,*?#@]+(,https?:\/\/[^\s/,*?#@]+)*$/.test(text) ? text.split(",") : undefined;
}

/** The settings of the service. Durations become milliseconds. */
export const settings = {
	HOST: host,
	PORT: port("8080"),
	OPS_HOST: host,
	OPS_PORT: port("9464"),
	BASE_URL: optional("an http or https URL without query, such as https://api.example.com/v1", baseUrl),
	TRUST_PROXY: optional(
		"addresses or networks of proxies, separated by commas, such as 192.0.2.7,10.0.0.0/8, " +
			"or the names loopback, linklocal and uniquelocal",
		parseTrustedProxies,
	),
	DATABASE_URL: setting(
		"sqlite: and the path of a file, such as sqlite:./data/animal-store.db, " +
			"or postgres://user:password@host:5432/database",
		databaseUrl,
		"sqlite:./data/animal-store.db",
	),
	DATABASE_POOL_MAX: setting(
		"an integer from 1 to 1000, the most connections of this node to PostgreSQL",
		integer(1, 1000),
		"10",
	),
	API_KEY: optional("a complete key of this service; animal-store keys generate prints one", (text) =>
		isWellFormedKey(text) ? text : undefined,
	),
	RATE_LIMIT: optional("a number of requests in a window, such as 100/1m", parseRate),
	CORS_ORIGINS: optional(
		"origins without wildcards, separated by commas, such as https://a.example,https://b.example",
		origins,
	),
	CONNECTIONS_PER_ADDRESS: setting("an integer from 0 to 10000, where 0 is no limit", integer(0, 10_000), "1000"),
	CREATE_WAIT_MAX: setting("the longest time that a create may wait, such as 5s or 1m", shortDuration, "5s"),
	STOP_DELAY: setting(
		"the time for which a stopping service accepts requests while /readyz is 503, such as 10s; 0s for no delay",
		(text) => (text === "0s" ? 0 : shortDuration(text)),
		"0s",
	),
	BACKUP_TO: optional(
		"the folder for the service's own backups of a sqlite: store, such as /var/backups/animals",
		(text) => text,
	),
	BACKUP_EVERY: optional(
		"the time between two backups, such as 1h, or never; 1d is the default with BACKUP_TO",
		(text) => (text === "never" ? Infinity : parseDurationMs(text)),
	),
	BACKUP_KEEP: optional(
		"the number of backups to keep, from 1 to 10000; 7 is the default with BACKUP_TO",
		integer(1, 10_000),
	),
	LOG_LEVEL: setting(
		"fatal, error, warn, info, debug, trace or silent",
		matching(/^(fatal|error|warn|info|debug|trace|silent)$/),
		"info",
	),
};

/** Settings of earlier versions, and what takes their place. The service refuses to start with one of them. */
export const withdrawn: Readonly<Record<string, string>> = {
	REUSE_PORT: "let systemd hold the port for all nodes, or use a balancer (docs/debian.md)",
	LOG_CLIENT_ADDRESS: "remove it; the proxy's log has the addresses",
	WHEN_WRITES_STOP: "remove it; the service ends with code 1 when only a restart helps, so let a supervisor restart it",
};
