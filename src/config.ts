// Turns flags and environment into one frozen Config, or throws one error that lists every problem.

import { readFileSync } from "node:fs";
import { type Setting, settings, withdrawn } from "./settings.ts";
import { InvalidUrl } from "./store/postgres/url.ts";

/** `DATABASE_URL` becomes `databaseUrl`, `ANIMAL_STORE_KEY` becomes `key`. */
type CamelCase<Name> = Name extends `ANIMAL_STORE_${infer Rest}`
	? CamelCase<Rest>
	: Name extends `${infer Word}_${infer Rest}`
		? `${Lowercase<Word>}${Capitalize<CamelCase<Rest>>}`
		: Lowercase<Name & string>;

type Values<Table> = {
	readonly [Name in keyof Table as CamelCase<Name>]: Table[Name] extends Setting<infer Value> ? Value : never;
};

export type Config = ReturnType<typeof readConfig>;

/** Invalid settings: each line of the message describes one problem. */
export class ConfigError extends Error {
	constructor(problems: readonly string[]) {
		super(problems.join("\n"));
	}
}

/** Values of flags, by their names in camel case. They override the environment. */
export type Flags = Record<string, string | undefined>;

function camelCase(name: string): string {
	return plainName(name)
		.toLowerCase()
		.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** `DATABASE_URL` is `--database-url`, `ANIMAL_STORE_KEY` is `--key`. */
export function flagOf(name: string): string {
	return `--${plainName(name).toLowerCase().replaceAll("_", "-")}`;
}

function plainName(name: string): string {
	return name.replace(/^ANIMAL_STORE_/, "");
}

/** Returns the value of a setting's text, or a problem: the end of a sentence that begins with the setting's name. */
function readText<Value>({ read, rule }: Setting<Value>, text: string): { value?: Value; problem?: string } {
	try {
		const value = read(text);
		return value === undefined ? { problem: `must be ${rule}` } : { value };
	} catch (error) {
		if (error instanceof InvalidUrl) return { problem: error.message };
		throw error;
	}
}

/** The problem of a DATABASE_URL: the end of a sentence that begins with this name; undefined if the URL is valid. */
export function problemOfDatabaseUrl(text: string): string | undefined {
	return readText(settings.DATABASE_URL, text).problem;
}

/** Settings that a separate file can hold, such as a container's secret: `API_KEY_FILE` names the file. */
const secretNames: readonly string[] = ["DATABASE_URL", "API_KEY"] satisfies (keyof typeof settings)[];

/** Variables by name. Empty variables count as absent. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Reads the settings of a table. `from` is the source of a text: `flag`, `environment`, `file PATH` or `default`. */
export function collect<Table extends Record<string, Setting>>(
	table: Table,
	environment: Variables = process.env,
	flags: Flags = {},
) {
	const problems: string[] = [];
	const values: Record<string, unknown> = {};
	const given = Object.entries(table).map(([name, setting]) => {
		const property = camelCase(name);
		const flag = flags[property];
		const found =
			flag === undefined
				? (lookUp(name, environment, problems) ?? { text: setting.default, from: "default", label: name })
				: { text: flag, from: "flag", label: flagOf(name) };
		const { value, problem } = found.text === undefined ? {} : readText(setting, found.text);
		values[property] = value;
		if (problem !== undefined) problems.push(`${found.label} ${problem}`);
		return { name, ...found };
	});

	const labelOf = (wanted: string) => given.find(({ name }) => name === wanted)?.label ?? wanted;
	return { given, problems, labelOf, values: values as Values<Table> };
}

function lookUp(name: string, variables: Variables, problems: string[]) {
	const [text, secretFile] = [variables[name], secretNames.includes(name) ? variables[`${name}_FILE`] : undefined];
	if (secretFile && text) problems.push(`${name} and ${name}_FILE are both set: unset one of them`);
	if (text) return { text, from: "environment", label: name };
	return secretFile
		? { text: readSecret(name, secretFile, problems), from: `file ${secretFile}`, label: name }
		: undefined;
}

function readSecret(name: string, file: string, problems: string[]): string | undefined {
	try {
		const text = readFileSync(file, "utf8").trim();
		if (text !== "") return text;
		problems.push(`${name}_FILE names ${file}, which is empty`);
	} catch (error) {
		problems.push(`${name}_FILE names ${file}, which ${reasonOf(error)}`);
	}
	return undefined;
}

/** Why a file cannot be read: the end of a sentence that begins "NAME names FILE, which". */
export function reasonOf(error: unknown): string {
	const { code = "" } = error as NodeJS.ErrnoException;
	return code === "ENOENT" ? "does not exist" : `cannot be read (${code})`;
}

/** Adds the variables of a file (NAME=value in each line) that the environment does not have. @throws ConfigError */
export function loadEnvFile(path: string): void {
	try {
		process.loadEnvFile(path);
	} catch (error) {
		throw new ConfigError([`--env-file names ${path}, which ${reasonOf(error)}`]);
	}
}

const settingNames = Object.keys(settings);

/** Reads all settings. Flags override the environment. @throws ConfigError */
export function readConfig(environment: Variables = process.env, flags?: Flags) {
	const { given, problems, labelOf, values } = collect(settings, environment, flags);
	const { port, databaseUrl, backupTo, backupEvery = 86_400_000, backupKeep = 7 } = values;
	const passed = passedSockets(environment);
	if (port && port === values.opsPort && values.host === values.opsHost)
		problems.push(`${labelOf("OPS_PORT")} must differ from ${labelOf("PORT")}`);
	for (const [name, successor] of Object.entries(withdrawn))
		if (environment[name]) problems.push(`${name} is no longer a setting: ${successor}`);
	for (const { name, text, label } of given)
		if (/^BACKUP_(EVERY|KEEP)$/.test(name) && text !== undefined && text !== "never" && !backupTo)
			problems.push(`${label} needs BACKUP_TO, the folder for backups`);
	if (backupTo && !databaseUrl?.startsWith("sqlite:"))
		problems.push(`${labelOf("BACKUP_TO")} needs a sqlite: store; back up PostgreSQL with pg_dump or pg_basebackup`);
	if (passed > 1) problems.push("LISTEN_FDS must be 1, the public port: fix the socket unit");
	if (problems.length > 0) throw new ConfigError(problems);
	return Object.freeze({
		...values,
		given,
		/** The service's own backups; `keep` is their number. If `everyMs` is infinite, another node makes the backups. */
		backups: backupTo === undefined ? undefined : { folder: backupTo, everyMs: backupEvery, keep: backupKeep },
		listenFd: passed === 1 ? firstPassedFd : undefined,
	});
}

/** The file descriptor of the public port, if systemd has opened it: SD_LISTEN_FDS_START of sd_listen_fds(3). */
const firstPassedFd = 3;

/** How many sockets systemd passes (sd_listen_fds(3)) to this process, or to its parent, if that is an older Node. */
function passedSockets(environment: Variables): number {
	const isForUs = [process.pid, process.ppid].includes(Number(environment["LISTEN_PID"]));
	return isForUs ? Number(environment["LISTEN_FDS"]) : 0;
}

/** This process's environment for a child process, without NODE_OPTIONS. DATABASE_URL is the only setting in it. */
export function environmentFor(databaseUrl: string): NodeJS.ProcessEnv {
	const isOther = ([name]: [string, unknown]) =>
		name !== "NODE_OPTIONS" && !settingNames.includes(name.replace(/_FILE$/, ""));
	return { ...Object.fromEntries(Object.entries(process.env).filter(isOther)), DATABASE_URL: databaseUrl };
}

/** Whether a person started this process, with `npm start` or `npx`. */
export function isUnderNpm(): boolean {
	return ["start", "npx"].includes(process.env["npm_lifecycle_event"] ?? "");
}
