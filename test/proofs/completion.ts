// The completion scripts in the shells themselves: in the line editor of zsh with and without compinit, in bash and in fish.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { runProgram } from "../program.ts";
import { type Proof, program, type Trial } from "../proof.ts";

/** What is typed before Tab, and how the line begins after it. */
const completions: [typed: string, completed: string][] = [
	["animal-store impo", "animal-store import"],
	["animal-store pets list --stat", "animal-store pets list --status"],
	["animal-store pets list --status so", "animal-store pets list --status sold"],
	["animal-store keys create --na", "animal-store keys create --name"],
	["animal-store serve --database", "animal-store serve --database-url"],
	["animal-store completion f", "animal-store completion fish"],
];

const shellLimitMs = 120_000;

function run(shell: string, parameters: string[]): string {
	return execFileSync(shell, parameters, {
		encoding: "utf8",
		timeout: shellLimitMs,
		stdio: ["ignore", "pipe", "inherit"],
		env: { PATH: process.env["PATH"], TERM: "dumb" },
	});
}

/** Types into an interactive zsh and waits until each line is completed. */
function proveZsh(folder: string, setUp: string): void {
	const steps = completions.map(
		([typed, completed]) =>
			`zpty -n -w z $'${typed}\\t'; zpty -r z out '*${completed}*' && print -r -- 'ok ${completed}'; zpty -n -w z $'\\x15'`,
	);
	const driver = join(folder, "driver.zsh");
	const begin = `${setUp}; print BE''GUN`;
	writeFileSync(
		driver,
		[
			"zmodload zsh/zpty",
			"zpty z zsh -f -i",
			`zpty -w z ${JSON.stringify(begin)}`,
			"zpty -r z out '*BEGUN*'",
			...steps,
			"zpty -d z",
			"",
		].join("\n"),
	);
	const said = run("zsh", ["-f", driver]);
	for (const [, completed] of completions) assert.ok(said.includes(`ok ${completed}\n`), `zsh with ${setUp}: ${said}`);
}

function proveFish(script: string): void {
	for (const [typed, completed] of completions) {
		const said = run("fish", ["--no-config", "-c", `source ${script}; complete -C ${JSON.stringify(typed)}`]);
		const words = said.split("\n").map((line) => line.split("\t")[0]);
		assert.ok(words.includes(completed.split(" ").at(-1)), `fish: ${typed}: ${said}`);
	}
}

function proveBash(script: string): void {
	for (const [typed, completed] of completions) {
		const ask = `source "$1"; read -ra COMP_WORDS <<< "$2"; COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
			_animal_store; echo "\${COMPREPLY[*]}"`;
		assert.equal(run("bash", ["-c", ask, "-", script, typed]).trim(), completed.split(" ").at(-1));
	}
}

async function prove({ folder, say }: Trial): Promise<object> {
	const scriptFor = async (shell: string, name: string) => {
		const path = join(folder, name);
		writeFileSync(path, (await runProgram(["completion", shell])).stdout);
		return path;
	};
	say("bash");
	proveBash(await scriptFor("bash", "animal-store.bash"));
	say("fish");
	proveFish(await scriptFor("fish", "animal-store.fish"));
	const zsh = await scriptFor("zsh", "_animal-store");
	const compinit = (dump: string) => `autoload -Uz compinit; compinit -i -d ${join(folder, dump)}`;
	const setUps = [`source ${zsh}`, `${compinit("a")}; source ${zsh}`, `fpath=(${folder} $fpath); ${compinit("b")}`];
	for (const setUp of setUps) {
		say(`zsh: ${setUp}`);
		proveZsh(folder, setUp);
	}
	return { shells: 2 + setUps.length, completions: completions.length };
}

export const proof: Proof = {
	shows: "completion in bash, fish, and zsh with and without compinit",
	needs: [program("bash"), program("fish"), program("zsh")],
	prove,
};
