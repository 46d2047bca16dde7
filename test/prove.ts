// `npm run prove` runs the proofs, each a file in test/proofs. Most programs come from the package, which npm makes and
// installs first. The tests of the proofs install, house and programs are in folders of these names. Prints a line of JSON
// for each proof, and finally the names of proofs that passed, failed or lack tools. Exits with 0 only if all passed.

import { randomInt } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { installPackage, type Shipped } from "./support/package.ts";
import { runFrom } from "./support/program.ts";
import type { Proof, Trial } from "./support/proof.ts";

type Outcome = "passed" | "failed" | "lacks tools";

async function readProofs(): Promise<Map<string, Proof>> {
	const proofs = new Map<string, Proof>();
	const files = readdirSync(new URL("./proofs", import.meta.url)).filter((name) => name.endsWith(".ts"));
	for (const file of files.sort()) {
		const { proof }: { proof: Proof } = await import(`./proofs/${file}`);
		proofs.set(file.replace(/\.ts$/, ""), proof);
	}
	return proofs;
}

function help(proofs: Map<string, Proof>): string {
	const lines = [...proofs].map(([name, { shows, needs = [], options = {} }]) =>
		[
			`  ${name.padEnd(16)}${shows}`,
			...needs.map(({ text, isMet }) => `${" ".repeat(20)}needs ${text}${isMet() ? "" : ": MISSING"}`),
			...Object.entries(options).map(([option, { default: value, text }]) => {
				const shown = value === undefined ? "" : ` (default: ${value || "none"})`;
				return `${" ".repeat(20)}--${option}${shown}  ${text}`;
			}),
		].join("\n"),
	);
	return `npm run prove -- [--only NAME]… [--seed N] [OPTION]…

Runs all proofs, or the named ones:

${lines.join("\n")}`;
}

const common = {
	help: { type: "boolean", default: false },
	only: { type: "string", multiple: true, default: [] as string[] },
	seed: { type: "string", default: String(randomInt(2 ** 31)) },
} satisfies ParseArgsOptionsConfig;

/** @throws Error about an unknown name, or an option that no chosen proof has */
function readArguments(proofs: Map<string, Proof>) {
	const { only } = parseArgs({ options: common, strict: false }).values as { only: string[] };
	for (const name of only)
		if (!proofs.has(name)) throw new Error(`there is no proof ${name}: ${[...proofs.keys()].join(", ")}`);
	const chosen = new Map([...proofs].filter(([name]) => only.length === 0 || only.includes(name)));
	const own = [...chosen.values()].flatMap(({ options = {} }) => Object.entries(options));
	const typeOf = (value?: string) => ({ type: value === undefined ? ("boolean" as const) : ("string" as const) });
	const options = Object.fromEntries(own.map(([name, option]) => [name, typeOf(option.default)]));
	const { help, only: _only, seed, ...rest } = parseArgs({ options: { ...options, ...common } }).values;
	const given: Record<string, string | undefined> = Object.fromEntries(
		Object.entries(rest).map(([name, value]) => [name, String(value)]),
	);
	return { isHelpWanted: help, chosen, seed: Number(seed), given };
}

const say = (line: string) => console.error(`${new Date().toISOString().slice(11, 19)} ${line}`);
let cleanUps: (() => unknown)[] = [];

async function cleanUpAll(): Promise<void> {
	const due = cleanUps.reverse();
	cleanUps = [];
	for (const cleanUp of due) await cleanUp();
}

async function runProof(
	name: string,
	proof: Proof,
	{ seed, option }: Pick<Trial, "seed" | "option">,
): Promise<Outcome> {
	const missing = (proof.needs ?? []).filter(({ isMet }) => !isMet());
	if (missing.length > 0) {
		say(`${name} cannot run: this machine lacks ${missing.map(({ text }) => text).join(", ")}`);
		return "lacks tools";
	}
	say(`proving: ${name}`);
	const folder = mkdtempSync(join(tmpdir(), "animal-store-prove-"));
	cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
	try {
		const after: Trial["after"] = (cleanUp) => void cleanUps.push(cleanUp);
		if (!proof.isOfCheckout) takePackage();
		const trial: Trial = {
			...{ seed, option, folder, after, say },
			get shipped() {
				return takePackage();
			},
		};
		const figures = await proof.prove(trial);
		console.log(JSON.stringify({ proof: name, ...figures }));
		return "passed";
	} catch (error) {
		say(`${name} FAILED (--seed ${seed}): ${error instanceof Error ? error.stack : error}`);
		return "failed";
	} finally {
		await cleanUpAll();
	}
}

let shipped: Shipped | undefined;

/** The package. The first proof that runs makes it, in a folder that is removed when this process exits. */
function takePackage(): Shipped {
	if (shipped) return shipped;
	say("making the package, and installing it");
	const folder = mkdtempSync(join(tmpdir(), "animal-store-package-"));
	process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
	shipped = installPackage(folder);
	runFrom(shipped.tree);
	return shipped;
}

async function runAll(): Promise<number> {
	const proofs = await readProofs();
	const { isHelpWanted, chosen, seed, given } = readArguments(proofs);
	if (isHelpWanted) {
		console.log(help(proofs));
		return 0;
	}
	const outcomes = new Map<string, Outcome>();
	for (const [name, proof] of chosen) {
		const option = (option: string) => given[option] ?? proof.options?.[option]?.default ?? "";
		outcomes.set(name, await runProof(name, proof, { seed, option }));
	}
	for (const [outcome, all] of Map.groupBy(outcomes, ([, outcome]) => outcome))
		say(`${outcome}: ${all.length} (${all.map(([name]) => name).join(", ")})`);
	return [...outcomes.values()].every((outcome) => outcome === "passed") ? 0 : 1;
}

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => cleanUpAll().finally(() => process.exit(130)));
// Exits even if a failed proof has left work running.
process.exit(
	await runAll().catch((error) => {
		console.error(error instanceof Error ? error.message : error);
		return 2;
	}),
);
