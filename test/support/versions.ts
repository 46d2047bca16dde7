// Other versions of the program for proofs: the one before schema 6, and copies of this one with more migrations. And
// what nodes of two versions do together.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { copyTree, root } from "../house/mutants.ts";
import type { Caller } from "./caller.ts";
import type { Ledger } from "./ledger.ts";
import { isOnPath, type Need } from "./proof.ts";

export const history: Need = {
	text: "git, and the history of this repository",
	isMet: () => isOnPath("git") && existsSync(join(root, ".git")),
};

/**
 * What a node adds, renames, removes and moves to another category is found by another one, which knows categories. The
 * first one may be of the version before.
 */
export async function assertTogether(any: Caller, newer: Caller, ledger: Ledger): Promise<void> {
	const add = async (name: string) => {
		const { id } = JSON.parse((await any.create({ name, categoryId: 77 })).body) as { id: number };
		ledger.acknowledge({ pet: { name, categoryId: 77n }, idempotencyKey: undefined }, BigInt(id));
		return id;
	};
	const edit = async (caller: Caller, change: object) => {
		const reply = await caller.post("/console/edits", { edits: [change] });
		const { results } = JSON.parse(reply.body) as { results: { outcome: string }[] };
		assert.equal(results[0]?.outcome, "edited");
	};
	const found = async (query: string) => {
		const { pets } = JSON.parse((await newer.get(`/console/find?${query}`)).body) as { pets: { id: number }[] };
		return pets.map(({ id }) => id);
	};
	const turn = ledger.acknowledged.size;
	/** The other animals are in lower ones. */
	const category = 1_000_000 + turn;
	const [kept, renamed, removed] = [
		await add(`Käthe ${turn}`),
		await add(`Kathe ${turn} a`),
		await add(`KÄTHE ${turn} b`),
	];
	assert.deepEqual(await found(`name=kathe+${turn}`), [kept, renamed, removed]);
	await edit(any, { id: renamed, action: "rename", name: `Ödön ${turn}`, seen: { name: `Kathe ${turn} a` } });
	await edit(any, { id: removed, action: "remove", seen: { name: `KÄTHE ${turn} b` } });
	assert.deepEqual([await found(`name=kathe+${turn}`), await found(`name=odon+${turn}`)], [[kept], [renamed]]);
	await edit(newer, { id: kept, action: "set-category", categoryId: category, seen: { name: `Käthe ${turn}` } });
	await newer.post("/console/categories", { categories: [{ id: category, name: `Kind ${turn}` }] });
	assert.deepEqual(await found(`category=${category}`), [kept]);
	assert.equal(JSON.parse((await any.get(`/v1/pets/${kept}`)).body).categoryId, category);
	ledger.change(BigInt(removed), undefined)();
	ledger.change(BigInt(renamed), { name: `Ödön ${turn}`, categoryId: 77n })();
	ledger.change(BigInt(kept), { name: `Käthe ${turn}`, categoryId: BigInt(category) })();
}

const firstStep = "src/store/migrations/006.sql";

/** The version before schema 6, from the history of this repository. @returns its folder */
export function olderVersion(folder: string): string {
	const git = (...parameters: string[]) => execFileSync("git", ["-C", root, ...parameters], { maxBuffer: 2 ** 28 });
	const since = git("log", "--diff-filter=A", "--format=%H", "--", firstStep).toString().trim();
	mkdirSync(folder);
	execFileSync("tar", ["-x", "-C", folder], { input: git("archive", `${since}^`) });
	for (const path of ["node_modules", "test/node_modules"]) symlinkSync(join(root, path), join(folder, path));
	return folder;
}

/** A copy of this tree with these migrations for each engine. @returns its folder */
export function copyWith(folder: string, steps: Record<number, string>): string {
	const tree = copyTree(folder);
	for (const engine of ["sqlite", "postgres"])
		for (const [version, sql] of Object.entries(steps))
			writeFileSync(join(tree, `src/store/migrations/${engine}-${version}.sql`), sql);
	return tree;
}
