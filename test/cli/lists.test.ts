// `animal-store import` with lists as people and other programs write them. What it proposes for them, and which
// animals they have, is recorded in test/outcomes/commands.txt.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createKey } from "../../src/keys/issue.ts";
import { call } from "../support/command.ts";
import { importer } from "../support/importer.ts";
import type { TestService } from "../support/service.ts";
import { petsInWords } from "../support/spreadsheets.ts";
import { workbook } from "../support/workbook.ts";

/** Equal rows are then those of another day. */
function aDayLater({ clock }: TestService): void {
	clock.nowMs = (clock.nowMs ?? Date.now()) + 25 * 3_600_000;
}

test("an import with the flags of its proposals adds the animals that its dry run shows", async (context) => {
	const { service, add } = await importer(context);
	await service.store.categories.apply([{ name: "Dog" }, { name: "Cat" }]);
	const lists: [rows: string, ...flags: string[]][] = [
		['Name,Species\n"Pico\n(Max)",Dog\n', "--one-line"],
		["7,Moss,Cat\n8,Fern,Dog\n", "--header-row", "0", "--map", "name=#2", "--map", "categoryId=#3"],
		["Animal ID,Name\nZ1,\nZ2,Ash\nZ2,?\nTotal,\n", "--unnamed", "Animal ID", "--once-per", "Animal ID"],
	];
	for (const [rows, ...flags] of lists) {
		const { code, stderr } = await add("Elk", rows, ...flags, "--category", "Elk", "--create-categories");
		assert.equal(code, 0, stderr);
	}
	assert.match((await add("a", "name,species\n")).stderr, /: no row is an animal; nothing was sent\n$/);
	const animals = ["Pico (Max) Dog –", "Moss Cat –", "Fern Dog –", "Z1 Elk –", "Ash Elk –"];
	assert.deepEqual(await petsInWords(service), animals);
});

test("a hundred and more new categories are one question", async (context) => {
	const { service, run, add } = await importer(context);
	const fish = Array.from({ length: 120 }, (_, at) => `Fish ${at},Species ${at}\n`).join("");
	const dry = await add("zoo", `name,species\n${fish}`, "--dry-run");
	assert.equal(dry.code, 2, "a file with open questions cannot go in");
	const { stderr } = await run("--key", { more: [service.key, `--key=${service.key}`, "--", "zoo"] });
	assert.match(stderr, /\nand 108 more unknown categories\n.*\nanimal-store import --create-categories -- zoo\n$/);
	assert.equal((await run("zoo", { more: ["--create-categories"] })).code, 0);
	assert.equal((await service.store.categories.list(1000)).length, 120);
});

test("a rejected row of a sheet has the name of its sheet, and is imported once it is corrected", async (context) => {
	const { read, add } = await importer(context);
	const both = await add("b", workbook({ A: "Name,Category\nMoss,2", B: "Name,Category\n,3\nPico,1" }));
	assert.match(both.stderr, /rejected:\n {2}"Name" is empty: enter a name, row 2 of sheet "B"\n/);
	assert.equal(read("b.rejected.csv").split("\n")[0], "line,reason,Sheet,Name,Category");
	assert.match(read("b.rejected.csv"), /\n"2 of sheet ""B""",.*,B,,3\n$/);
	const corrected = await add("b.rejected.csv", read("b.rejected.csv").replace(",B,,3", ",B,Elm,3"));
	assert.match(corrected.stdout, /: 1 added, 0 already there, 0 rejected/);
});

test("on a terminal, one question confirms all proposals; any answer but yes sends nothing", async (context) => {
	const { write, run, pets } = await importer(context);
	write("a", "Animal ID,Name,Status\nZ1,Pico,adopted\nZ2,,Hold\n");
	const refused = await run("a", { typed: "no\n" });
	assert.match(refused.stderr, /\ngo on as proposed above\?.* \[Y\/n\]\n.*nothing was sent; .*\n.*--unnamed/);
	assert.deepEqual([refused.code, await pets()], [1, []]);
	assert.equal((await run("a", { typed: "" })).code, 1, "Ctrl-D");
	const { code, stdout, stderr } = await run("a", { typed: "\n" });
	assert.equal(code, 0, stderr);
	assert.match(stdout, /^a: 2 added/);
	assert.match((await run("a", { typed: "Yes\n" })).stdout, /^a: 0 added, 2 already there/);
	const added = (await pets()).map(({ name, status }) => `${name} ${status}`);
	assert.deepEqual(added, ["Pico sold", "Z2 undefined"]);
	assert.equal((await run("a", { more: ["--again", "2"] })).code, 1, "elsewhere nothing is asked");
});

test("a corrected, sorted or cut list adds what is new, and asks about rows of another file", async (context) => {
	const { service, environment, write, run, pets } = await importer(context);
	const { key } = await createKey(service.issuer, { name: "night shift", scopes: ["pets:read", "pets:write"] });
	const other = { ...environment, ANIMAL_STORE_KEY: key };
	const names = async () => (await pets()).map(({ name }) => name);
	await service.store.categories.apply([{ name: "Dog" }, { name: "Cat" }]);
	/** Imports rows as a file, which is asked about as this, with these flags afterwards. */
	const add = async (file: string, rows: string, asked: RegExp | undefined, said: string, ...more: string[]) => {
		write(file, rows);
		const before = await names();
		if (asked) {
			const { code, stderr } = await run(file);
			assert.match(stderr, asked);
			const [command] = stderr.trimEnd().split("\n").slice(-1);
			assert.deepEqual([code, command, await names()], [1, `animal-store import ${file} --skip-existing`, before]);
		}
		const { stdout, stderr } = await run(file, { more });
		assert.ok(stdout.startsWith(`${file}: ${said}`), stdout + stderr);
	};
	const skip = "--skip-existing";
	const heading = "Name,Species";
	await add("fix-me.csv", `${heading}\nPico,Dog\nMoss,\nFern,Cat\n`, undefined, "2 added, 0 already there, 1 rejected");
	const fixed = `${heading}\nFern,Cat\nMoss,Cat\nPico,Dog\n`;
	const question =
		/\n2 of 3 rows are already there \(Fern \(Cat\), Pico \(Dog\)\), added \w+ at \S+ by test from fix-me\.csv; --add-existing adds them once more; proposed: --skip-existing\n/;
	await add("fix-me.csv", fixed, question, "1 added, 2 already there (added today", skip);
	await add("fix-me.csv", fixed, undefined, "0 added, 3 already there");
	// The same rows in other frames: an export of JSON with fields in another order, and a sheet.
	const json = '{"Species":"Dog","Name":"Pico"}\n{"Species":"Cat","Name":"Ash"}\n';
	await add("a.ndjson", json, /1 of 2 rows is already there \(Pico/, "1 added, 1 already there", skip);
	write("a.xlsx", workbook({ A: "Name,Species\nMoss,Cat", B: "Name,Species\nElm,Dog" }));
	assert.match((await run("a.xlsx", { more: [skip] })).stdout, /1 added, 1 already there/);
	assert.deepEqual(await names(), ["Pico", "Fern", "Moss", "Ash", "Elm"]);

	// Two kittens in the morning's list and four in the afternoon's may be six.
	const kitten = "Kitten,Cat\n";
	write("morning.csv", `${heading}\n${kitten.repeat(2)}`);
	assert.match((await run("morning.csv", { environment: other })).stdout, /2 added/);
	const kittens = /\n2 of 4 rows are .* by night shift from morning\.csv; --add-existing/;
	await add("afternoon.csv", `${heading}\n${kitten.repeat(4)}`, kittens, "4 added, 0 already there", "--add-existing");
	await add("morning.csv", `${heading}\n${kitten.repeat(2)}`, undefined, "0 added, 2 already there (this file was");
	const six = /\n6 of 7 rows are already there \((Kitten \(Cat\), ){4}Kitten \(Cat\)\), /;
	await add("evening.csv", `${heading}\n${kitten.repeat(7)}`, six, "1 added, 6 already there", skip);
	await add("evening.csv", `${heading}\n${kitten.repeat(7)}`, undefined, "0 added, 7 already there");
	assert.equal((await names()).length, 12);
});

test("the same id with other values is different; a word is no id; a rejected row is known", async (context) => {
	const { service, read, run, add, pets } = await importer(context);
	await service.store.categories.apply([{ name: "Dog" }, { name: "Cat" }]);
	const heading = "Animal ID,Name,Species";
	assert.match((await add("a.csv", `${heading}\nZ1,Ash,Dog\nZ2,Ivy,Dog\nunknown,Rex,Dog\n`)).stdout, /3 added/);
	const asked = await add("b.csv", `${heading}\nZ2,Ivy,Cat\nZ3,Elm,Dog\nunknown,Bella,Dog\n`, "--dry-run");
	assert.match(asked.stderr, /\n1 of 3 rows is .* from a\.csv, 1 of them with other values under their id;/);
	assert.equal(asked.code, 2);
	const changed = await run("b.csv", { more: ["--skip-existing"] });
	assert.deepEqual([changed.code, /: 2 added, 0 already there, 1 rejected/.test(changed.stdout)], [2, true]);
	assert.match(changed.stderr, /rejected:\n {2}already there with other values: animal 2, row 2\n$/);
	assert.match((await run("b.csv.rejected.csv", { more: ["--add-existing"] })).stdout, /: 1 added/);

	assert.match((await add("c.csv", `${heading}\n5,Rex,Dog\n5,Bella,Dog\n`, "--once-per", "")).stdout, /: 2 added/);
	const swapped = await add("d.csv", `${heading}\n5,Bella,Dog\n5,Rex,Dog\n`, "--once-per", "", "--skip-existing");
	assert.match(swapped.stdout, /: 0 added, 2 already there/);

	const thrice = await add("e.csv", `${heading}${"\nZ7,Kim,Dog".repeat(3)}\n`, "--once-per", "Animal ID");
	assert.match(thrice.stdout, /: 1 added/);

	assert.match((await add("x.csv", `${heading}\nZ8,Cat,Dog\n`)).stdout, /: 1 added/);
	const other = await add("y.csv", `${heading}\nZ8,Dog,Cat\n`);
	assert.match(other.stderr, /\n1 of 1 row is .*, 1 of them with other values under their id;/);
	const equal = await add("y.csv", `${heading}\nZ8,Cat,Dog\nZ8,Cat,Dog\n`, "--once-per", "", "--skip-existing");
	assert.match(equal.stdout, /: 1 added, 1 already there .*, 0 rejected/);

	assert.equal((await add("e.csv", "Name,Species\nMoss,\n", "--unnamed", "")).code, 2);
	const mended = await add("e.csv.rejected.csv", read("e.csv.rejected.csv").replace("Moss,", "Moss,Cat"));
	assert.match(mended.stdout, /: 1 added/);
	assert.match((await add("e.csv", "Name,Species\nMoss,Cat\n")).stderr, /\n1 of 1 row is already there \(Moss/);
	await service.store.edits.apply({ petId: BigInt((await pets()).length), editor: "me", action: "remove" });
	assert.match((await run("e.csv")).stdout, /: 1 added/, "an animal that was removed is not there");
});

test("an export is imported without a question, whatever its animals are called", async (context) => {
	const { service, environment, path, run, pets } = await importer(context);
	const names = ["Unknown", "🐶", "None", "-", "???", "Total", "# 1", "NULL"];
	for (const name of names) await service.store.createPet({ name, categoryId: 1n });
	let expected = names;
	for (const file of ["a.csv", "a.xlsx", "a.ndjson", "a.json"]) {
		assert.equal((await call(["export", path(file), "--force"], { environment })).code, 0);
		const { code, stderr } = await run(file);
		assert.equal(code, 0, stderr);
		expected = expected.concat(expected);
		const found = (await pets()).map(({ name }) => name);
		assert.deepEqual(found, expected, file);
		aDayLater(service);
	}
});

test("a field of JSON may first be in a late object", async (context) => {
	const { add, pets } = await importer(context);
	const late = `${'{"name":"Pico","categoryId":1}\n'.repeat(250)}{"name":"Moss","categoryId":2,"status":"sold"}\n`;
	assert.equal((await add("b", late)).code, 0);
	assert.deepEqual((await pets()).at(-1), { name: "Moss", categoryId: 2n, status: "sold" });
});
