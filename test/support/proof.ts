// The interface of a proof: one file in test/proofs, run by `npm run prove`. It declares its requirements and options,
// and gets a temporary folder and a list of clean-ups.

import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Shipped } from "./package.ts";
import { startPostgresFor } from "./postgres-server.ts";
import { keyFor } from "./program.ts";

export interface Proof {
	/** The statement that the proof shows to be true: one line of `--help`. */
	shows: string;
	/** The proof's requirements; it fails if one is not met. */
	needs?: Need[];
	/** The proof's options besides `--seed`. An option without a default is a flag, whose value is "true" if given. */
	options?: Record<string, { default?: string; text: string }>;
	/** Whether the proof makes its own installations from the checkout, so that it does not need the package. */
	isOfCheckout?: boolean;
	/** @returns the figures @throws if the promise is broken */
	prove(trial: Trial): Promise<object>;
}

/** A requirement of a proof. */
export interface Need {
	text: string;
	isMet(): boolean;
}

/** One run of one proof. */
export interface Trial {
	/** A temporary folder, which is removed at the end. */
	folder: string;
	seed: number;
	/** The package, from which all programs run unless the proof is of the checkout. */
	shipped: Shipped;
	/** The value of one of the proof's options. */
	option(name: string): string;
	/** Adds a clean-up. Clean-ups run at the end, the last added first, even if the proof fails. */
	after(cleanUp: () => unknown): void;
	/** Prints a line of progress on standard error. */
	say(line: string): void;
}

export const linux: Need = { text: "Linux", isMet: () => process.platform === "linux" };
export const root: Need = { text: "root", isMet: () => process.getuid?.() === 0 };

/** @param debianPackage the package's name, if it differs from the program's name */
export function program(name: string, debianPackage = name): Need {
	return { text: `${name} (Debian package ${debianPackage})`, isMet: () => isOnPath(name) };
}

export const isOnPath = (name: string) =>
	(process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, name)));

export interface TrialStore {
	environment: { DATABASE_URL: string };
	key: string;
}

export const newStore = (name: string, folder: string) => withKey(`sqlite:${join(folder, `${name}.db`)}`);

export const newDatabase = async (trial: Trial) => withKey((await startPostgresFor(trial)).databaseUrl);

export async function withKey(databaseUrl: string): Promise<TrialStore> {
	return { environment: { DATABASE_URL: databaseUrl }, key: await keyFor(databaseUrl) };
}
