// Reads flags, the environment and a file of settings into one frozen Config, or throws one error that lists every
// problem.

import { readFileSync, statSync } from "node:fs";
import { type Static, type TObject, type TSchema, Type } from "./contract/schema.ts";
import { checkOf } from "./contract/validate.ts";
import { type EnvFile, parseEnvFile } from "./env-file.ts";
import { type IsTrustedProxy, parseTrustedProxies } from "./http/proxies.ts";
import { durationPattern, isWellFormedKey, parseDurationMs, parseRate, ratePattern } from "./keys/formats.ts";
import { InvalidUrl, parsePostgresUrl } from "./store/postgres/url.ts";

const integer = (description: string, minimum: number, maximum: number, usual?: number) =>
	Type.Integer({ description, minimum, maximum, ...(usual !== undefined && { default: usual }) });
const port = (usual: number) => integer("an integer from 0 to 65535, where 0 picks a free port", 0, 65535, usual);
const text = (description: string, pattern: string, usual: string) =>
	Type.String({ description, pattern, default: usual });
const choice = <const Value extends string>(values: readonly Value[], description: string, usual: Value) =>
	Type.Enum(values, { type: "string", description, default: usual });
/** Off unless set. */
const optional = (description: string, pattern = "") => Type.Optional(Type.String({ description, pattern }));
const host = text("a host name or an IP address", "^[A-Za-z0-9.:_-]+$", "127.0.0.1");

/** Up to 999 minutes; timers can wait 24 days. */
const duration = "[1-9][0-9]{0,2}[sm]";

const databaseUrl = /^(sqlite:.*[^/]|postgres(ql)?:\/\/.*)$/;

/** Every variable. Error messages quote its description as the rule. */
export const Environment = Type.Object({
	HOST: host,
	PORT: port(8080),
	REUSE_PORT: choice(["true", "false"], "true (nodes of one store share the port, on Linux) or false", "false"),
	OPS_HOST: host,
	OPS_PORT: port(9464),
	BASE_URL: optional(
		"an http or https URL without query, such as https://api.example.com/v1",
		"^https?://[^\\s/?#]+(/[^\\s?#]*)?$",
	),
	TRUST_PROXY: optional(
		"addresses or networks of proxies with commas between them, such as 192.0.2.7,10.0.0.0/8; " +
			"loopback, linklocal and uniquelocal name usual ones",
	),
	DATABASE_URL: text(
		"sqlite: and the path of a file, such as sqlite:./data/animal-store.db, " +
			"or postgres://user:password@host:5432/database",
		databaseUrl.source,
		"sqlite:./data/animal-store.db",
	),
	DATABASE_POOL_MAX: integer("the most connections of this node to PostgreSQL, an integer from 1 to 1000", 1, 1000, 10),
	API_KEY: optional("a complete key of this service; animal-store keys generate makes one"),
	RATE_LIMIT: optional("a number of requests in a window, such as 100/1m", ratePattern.source),
	CORS_ORIGINS: optional(
		"origins with commas between them and no wildcard, such as https://a.example,https://b.example",
		"^https?://[^\\s/,*?#@]+(,https?://[^\\s/,*?#@]+)*$",
	),
	CONNECTIONS_PER_ADDRESS: integer("an integer from 0 to 10000, where 0 is no limit", 0, 10_000, 1000),
	CREATE_WAIT_MAX: text("how long a create may wait before it is refused, such as 5s or 1m", `^${duration}$`, "5s"),
	STOP_DELAY: text(
		"how long a stopping service still takes requests while /readyz is 503, such as 10s; 0s for no delay",
		`^(0s|${duration})$`,
		"0s",
	),
	WHEN_WRITES_STOP: choice(
		["serve", "exit"],
		"serve (reads go on, /livez is 503) or exit, when only a restart lets creates work again",
		"serve",
	),
	BACKUP_TO: optional("the folder for the service's own backups of a sqlite: store, such as /var/backups/animals"),
	BACKUP_EVERY: optional(
		"the time between two backups, such as 1h or 1d, which is usual with BACKUP_TO",
		durationPattern.source,
	),
	BACKUP_KEEP: Type.Optional(
		integer("the number of backups to keep, from 1 to 10000; 7 is usual with BACKUP_TO", 1, 10_000),
	),
	LOG_CLIENT_ADDRESS: choice(["true", "false"], "true or false", "false"),
	LOG_LEVEL: choice(
		["fatal", "error", "warn", "info", "debug", "trace", "silent"],
		"fatal, error, warn, info, debug, trace or silent",
		"info",
	),
});

/** For the commands that call a running service: its address and the API key. */
const ConnectionEnvironment = Type.Object({
	ANIMAL_STORE_URL: text(
		"the http or https URL of a service, such as http://127.0.0.1:8080",
		"^https?://[^\\s/?#@]+(/[^\\s?#]*)?$",
		"http://127.0.0.1:8080",
	),
	ANIMAL_STORE_KEY: Type.String({
		description:
			"an API key, without spaces (flag --key); animal-store keys create --name me makes one where the store is",
		pattern: "^[\\x21-\\x7e]{1,255}$",
	}),
});

/** The settings as the service uses them. */
export type Config = ReturnType<typeof toConfig>;

/** Wrong settings, with one sentence for each problem. */
export class ConfigError extends Error {
	readonly problems: string[];
	constructor(problems: string[]) {
		super(problems.join("\n"));
		this.problems = problems;
	}
}

/** Values of flags, by their names in camel case. They override the environment. */
export type Flags = Record<string, string | undefined>;

export interface Setting {
	name: keyof typeof Environment.properties;
	/** Such as `--database-url`. */
	flag: string;
	description: string;
	/** Undefined where the setting is off unless set. */
	usual: string | undefined;
}

/** The settings of `serve` that have a flag: all but API_KEY, because other users of the machine can see flags. */
export const settings: readonly Setting[] = Object.entries(Environment.properties)
	.filter(([name]) => name !== "API_KEY")
	.map(([name, schema]) => ({
		name: name as Setting["name"],
		flag: flagOf(name),
		description: String(schema.description),
		usual: usualOf(schema),
	}));

export const defaultDatabaseUrl = settings.find(({ name }) => name === "DATABASE_URL")?.usual ?? "";

function usualOf(schema: TSchema): string | undefined {
	return schema.default === undefined ? undefined : String(schema.default);
}

/** `DATABASE_URL` is `--database-url`, `ANIMAL_STORE_KEY` is `--key`. */
function flagOf(name: string): string {
	return `--${plainName(name).toLowerCase().replaceAll("_", "-")}`;
}

/** `DATABASE_URL` is the flag `databaseUrl`. */
function propertyOf(name: string): string {
	return plainName(name)
		.toLowerCase()
		.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

function plainName(name: string): string {
	return name.replace(/^ANIMAL_STORE_/, "");
}

/** What is wrong with a DATABASE_URL, to follow its name; undefined if it is valid. */
export function problemOfDatabaseUrl(text: string): string | undefined {
	if (!databaseUrl.test(text)) return `must be ${Environment.properties.DATABASE_URL.description}`;
	if (text.startsWith("sqlite:")) return undefined;
	try {
		parsePostgresUrl(text);
		return undefined;
	} catch (error) {
		if (error instanceof InvalidUrl) return error.message;
		throw error;
	}
}

/** Settings that a file may hold instead, such as a secret of a container: `API_KEY_FILE` is the file of `API_KEY`. */
const secretNames: readonly string[] = ["DATABASE_URL", "API_KEY"] satisfies Setting["name"][];

export interface GivenSetting {
	name: string;
	/** As it was given; undefined if it is off. */
	text: string | undefined;
	/** `default`, `environment`, `flag`, or `file` and its path. */
	from: string;
}

/** Variables by their names. Empty ones count as absent. */
type Variables = Readonly<Record<string, string | undefined>>;

/** The settings of a schema, each from a flag, the environment, the file of settings or its default. */
function collect<S extends TObject>(schema: S, environment: Variables, flags: Flags, file: EnvFile | undefined) {
	const problems: string[] = [];
	const given = Object.entries(schema.properties).map(([name, property]): GivenSetting => {
		const flag = flags[propertyOf(name)];
		if (flag !== undefined) return { name, text: flag, from: "flag" };
		const found =
			lookUp(name, environment, "environment", problems) ??
			(file && lookUp(name, file.values, `file ${file.path}`, problems));
		return { name, text: usualOf(property), from: "default", ...found };
	});
	/** As messages name it. */
	function nameOf(setting = ""): string {
		const from = given.find(({ name }) => name === setting)?.from;
		if (from === "flag") return flagOf(setting);
		const line = from === `file ${file?.path}` ? file?.lines[setting] : undefined;
		return line === undefined ? setting : `${setting} (line ${line} of ${file?.path})`;
	}
	const texts = Object.fromEntries(given.map(({ name, text }) => [name, text]));
	const { value, faults = [] } = checkOf(schema, true)(texts);
	problems.push(...faults.map(({ field, problem }) => `${nameOf(field)} ${problem}`));
	return { given, problems, nameOf, value: value as Static<S> };
}

function lookUp(name: string, variables: Variables, from: string, problems: string[]) {
	const secretFile = secretNames.includes(name) ? variables[`${name}_FILE`] : undefined;
	if (secretFile && variables[name]) problems.push(`${name} and ${name}_FILE are both set: unset one of them`);
	if (variables[name]) return { text: variables[name], from };
	return secretFile ? { text: readSecret(name, secretFile, problems), from: `file ${secretFile}` } : undefined;
}

function readSecret(name: string, file: string, problems: string[]): string | undefined {
	try {
		const text = readFileSync(file, "utf8").trim();
		if (text === "") problems.push(`${name}_FILE names ${file}, which is empty`);
		return text;
	} catch (error) {
		problems.push(`${name}_FILE names ${file}, which ${reasonOf(error)}`);
		return undefined;
	}
}

function reasonOf(error: unknown): string {
	return (error as NodeJS.ErrnoException).code === "ENOENT" ? "does not exist" : "cannot be read";
}

let envFile: EnvFile | undefined;

/** What this process reads from now on may come from this file, too. @throws ConfigError */
export function useEnvFile(path: string): void {
	envFile = readEnvFile(path);
}

/** @throws ConfigError */
export function readEnvFile(path: string): EnvFile {
	const refuse = (reason: string) => new ConfigError([`--env-file names ${path}, which ${reason}`]);
	let text: string;
	try {
		// Node has read a pipe before us, to its end.
		if (!statSync(path).isFile()) throw refuse("is not a regular file");
		text = new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
	} catch (error) {
		if (error instanceof ConfigError) throw error;
		throw refuse(error instanceof TypeError ? "is not UTF-8" : reasonOf(error));
	}
	const { problems, ...file } = parseEnvFile(path, text, (name) => {
		if (knownNames.has(name)) return undefined;
		return `names ${name}, which is not a setting: ${adviceFor(settingMeantBy(name))}`;
	});
	if (problems.length > 0) throw new ConfigError(problems);
	return file;
}

/** Variables that Kubernetes sets for a service with the name animal-store. */
const ofKubernetes = /^ANIMAL_STORE_(SERVICE_(HOST|PORT(_\w+)?)|PORT(_\d+_(TCP|UDP)(_\w+)?)?)$/;

const settingNames = [...Object.keys(Environment.properties), ...secretNames.map((name) => `${name}_FILE`)];
const knownNames = new Set([...settingNames, ...Object.keys(ConnectionEnvironment.properties)]);

/** The setting of which a name is probably another spelling. */
function settingMeantBy(name: string): string | undefined {
	const plain = (text: string) => plainName(text).replaceAll("_", "").toUpperCase();
	return settingNames.find((one) => plain(one) === plain(name));
}

function adviceFor(meant: string | undefined): string {
	return meant === undefined ? "animal-store config lists them" : `use ${meant}`;
}

/** One sentence for each variable that was probably meant as a setting. */
function misspelt(environment: Variables): string[] {
	return Object.keys(environment).flatMap((name) => {
		if (!environment[name] || knownNames.has(name) || ofKubernetes.test(name)) return [];
		const isOurs = name.startsWith("ANIMAL_STORE_");
		const meant = settingMeantBy(name);
		// PORT and HOST in another spelling belong to other programs.
		if (!isOurs && !meant?.includes("_")) return [];
		return [`${name} is not a setting: ${adviceFor(meant)}`];
	});
}

/** @throws ConfigError */
export function readSettings(
	environment: Variables = process.env,
	flags: Flags = {},
	file: EnvFile | undefined = envFile,
): { config: Config; given: GivenSetting[] } {
	const { given, problems, nameOf, value: env } = collect(Environment, environment, flags, file);
	const urlProblem = env.DATABASE_URL && problemOfDatabaseUrl(env.DATABASE_URL);
	if (urlProblem) problems.push(`${nameOf("DATABASE_URL")} ${urlProblem}`);
	const isTrustedProxy = env.TRUST_PROXY === undefined ? undefined : parseTrustedProxies(env.TRUST_PROXY);
	const mustBe = (name: "API_KEY" | "TRUST_PROXY") =>
		`${nameOf(name)} must be ${Environment.properties[name].description}`;
	if (env.TRUST_PROXY !== undefined && !isTrustedProxy) problems.push(mustBe("TRUST_PROXY"));
	if (env.API_KEY && !isWellFormedKey(env.API_KEY)) problems.push(mustBe("API_KEY"));
	if (env.PORT && env.PORT === env.OPS_PORT && env.HOST === env.OPS_HOST)
		problems.push(`${nameOf("OPS_PORT")} must differ from ${nameOf("PORT")}`);
	if (env.REUSE_PORT === "true" && process.platform !== "linux")
		problems.push(`${nameOf("REUSE_PORT")} needs Linux: ${process.platform} does not divide connections among nodes`);
	if (env.REUSE_PORT === "true" && env.PORT === 0)
		problems.push(`${nameOf("REUSE_PORT")} needs the number of a port in ${nameOf("PORT")}, not 0`);
	problems.push(...misspelt(environment));
	for (const name of ["BACKUP_EVERY", "BACKUP_KEEP"] as const)
		if (env[name] !== undefined && !env.BACKUP_TO)
			problems.push(`${nameOf(name)} needs BACKUP_TO, the folder for backups`);
	if (env.BACKUP_TO && !env.DATABASE_URL?.startsWith("sqlite:"))
		problems.push(
			`${nameOf("BACKUP_TO")} is for sqlite: stores only: back up PostgreSQL with pg_dump or pg_basebackup`,
		);
	const passed = passedSockets(environment);
	if (passed > 1 || (passed === 1 && env.REUSE_PORT === "true"))
		problems.push("LISTEN_FDS must be 1, for the public port, without REUSE_PORT: fix the socket unit");
	if (problems.length > 0) throw new ConfigError(problems);
	const listenFd = passed === 1 ? firstPassedFd : undefined;
	return { config: toConfig(env, isTrustedProxy, listenFd), given };
}

/** SD_LISTEN_FDS_START of sd_listen_fds(3). */
const firstPassedFd = 3;

/** How many sockets systemd passes (sd_listen_fds(3)) to this process, or to the older Node that started it. */
function passedSockets(environment: Variables): number {
	const isForUs = [process.pid, process.ppid].includes(Number(environment["LISTEN_PID"]));
	return isForUs ? Number(environment["LISTEN_FDS"]) : 0;
}

/** Flags override the environment, which overrides the file. @throws ConfigError */
export function readConfig(environment?: Variables, flags?: Flags, file?: EnvFile): Config {
	return readSettings(environment, flags, file).config;
}

function toConfig(
	env: Static<typeof Environment>,
	isTrustedProxy: IsTrustedProxy | undefined,
	/** The public port, if systemd has opened it and passes it on. */
	listenFd: number | undefined,
) {
	return Object.freeze({
		isTrustedProxy,
		listenFd,
		host: env.HOST,
		port: env.PORT,
		reusesPort: env.REUSE_PORT === "true",
		opsHost: env.OPS_HOST,
		opsPort: env.OPS_PORT,
		/** Ends with `/v1`. */
		baseUrl: env.BASE_URL?.replace(/\/+$/, "").replace(/(?<!\/v1)$/, "/v1"),
		databaseUrl: env.DATABASE_URL,
		databasePoolMax: env.DATABASE_POOL_MAX,
		apiKey: env.API_KEY,
		rateLimit: env.RATE_LIMIT === undefined ? undefined : parseRate(env.RATE_LIMIT),
		corsOrigins: env.CORS_ORIGINS?.split(",") ?? [],
		connectionsPerAddress: env.CONNECTIONS_PER_ADDRESS,
		createWaitMaxMs: parseDurationMs(env.CREATE_WAIT_MAX) ?? 0,
		stopDelayMs: parseDurationMs(env.STOP_DELAY) ?? 0,
		exitsWhenWritesStop: env.WHEN_WRITES_STOP === "exit",
		/** The service's own backups; `keep` is how many of them are kept. */
		backups:
			env.BACKUP_TO === undefined
				? undefined
				: {
						folder: env.BACKUP_TO,
						everyMs: parseDurationMs(env.BACKUP_EVERY ?? "1d") ?? 0,
						keep: env.BACKUP_KEEP ?? 7,
					},
		logLevel: env.LOG_LEVEL,
		logsClientAddress: env.LOG_CLIENT_ADDRESS === "true",
	});
}

/** Flags override the environment, which overrides the file. @throws ConfigError */
export function readConnection(
	{ url, key }: { url?: string; key?: string },
	environment: Variables = process.env,
	file: EnvFile | undefined = envFile,
): { url: string; key: string } {
	const flags = { url: url || undefined, key: key || undefined };
	const { value, problems } = collect(ConnectionEnvironment, environment, flags, file);
	if (problems.length > 0) throw new ConfigError(problems);
	return { url: value.ANIMAL_STORE_URL, key: value.ANIMAL_STORE_KEY };
}

/** For a process that works on the same store: no other settings, and nothing that Node loads into each process. */
export function environmentFor(
	databaseUrl: string,
	environment: Record<string, string | undefined> = process.env,
): Record<string, string | undefined> {
	const names = Object.keys(Environment.properties);
	const isOther = ([name]: [string, unknown]) => name !== "NODE_OPTIONS" && !names.includes(name.replace(/_FILE$/, ""));
	return { ...Object.fromEntries(Object.entries(environment).filter(isOther)), DATABASE_URL: databaseUrl };
}

/** Whether `npm start` or `npx` runs this process, and so a person. */
export function isUnderNpm(environment: Record<string, string | undefined> = process.env): boolean {
	return ["start", "npx"].includes(environment["npm_lifecycle_event"] ?? "");
}
