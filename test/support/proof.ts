// What a proof is: one file in test/proofs, run by `npm run prove`. It says what it needs and which options it takes, and gets a
// folder of its own and a place for what has to be closed.

import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { keyFor } from "./key-for.ts";
import { startPostgres } from "./postgres-server.ts";

export interface Proof {
	/** What it shows, in one line of `--help`. */
	shows: string;
	/** Without these it fails. */
	needs?: Need[];
	/** What it takes besides `--seed`. */
	options?: Record<string, { default: string; text: string }>;
	/** @returns the figures; it throws when the promise is broken */
	prove(trial: Trial): Promise<object>;
}

/** What the machine must have for a proof. */
export interface Need {
	text: string;
	isMet(): boolean;
}

/** One run of one proof. */
export interface Trial {
	/** A temporary folder, removed at the end. */
	folder: string;
	seed: number;
	/** The value of one of the proof's options. */
	option(name: string): string;
	/** Runs at the end, the last one first, also when the proof fails. */
	after(cleanUp: () => unknown): void;
	/** A line of progress, on standard error. */
	say(line: string): void;
}

export const linux: Need = { text: "Linux", isMet: () => process.platform === "linux" };
export const root: Need = { text: "root", isMet: () => process.getuid?.() === 0 };

/** @param debianPackage its name where it differs from the program's */
export function program(name: string, debianPackage = name): Need {
	return { text: `${name} (Debian package ${debianPackage})`, isMet: () => isOnPath(name) };
}

export function isOnPath(name: string): boolean {
	return (process.env["PATH"] ?? "").split(delimiter).some((folder) => isExecutable(join(folder, name)));
}

function isExecutable(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}

export interface TrialStore {
	environment: { DATABASE_URL: string };
	key: string;
}

/** A store of its own with a key. */
export async function newStore(name: string, folder: string): Promise<TrialStore> {
	return withKey(`sqlite:${join(folder, `${name}.db`)}`);
}

/** A PostgreSQL server of its own with a key. */
export async function newDatabase({ after }: Trial): Promise<TrialStore> {
	const server = await startPostgres();
	after(() => server.remove());
	return withKey(`${server.url}/postgres`);
}

/** The store at this URL with a key. */
export async function withKey(databaseUrl: string): Promise<TrialStore> {
	return { environment: { DATABASE_URL: databaseUrl }, key: await keyFor(databaseUrl) };
}
