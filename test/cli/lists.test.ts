// `animal-store import` with lists as people and other programs write them: each row is one kind of list.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { quoteWord } from "../../src/cli/output.ts";
import { createKey } from "../../src/keys/issue.ts";
import { call } from "../support/command.ts";
import { importer } from "../support/importer.ts";
import type { TestService } from "../support/service.ts";
import { petsInWords } from "../support/spreadsheets.ts";
import { workbook } from "../support/workbook.ts";

interface List {
	rows: string | Buffer;
	/** The flags that the refusal of the first run adds to the command; absent if nothing is asked. */
	asked?: string;
	/** What else the first run says. */
	question?: string;
	/** Each animal with the name of its category, and its status. */
	animals: string[];
	/** What the last run says. */
	said?: RegExp;
	code?: number;
}

/** The parameters in a command line, as a shell splits it. */
function parametersOf(line: string): string[] {
	return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain = ""]) => quoted ?? plain);
}

/** Imports each list into a store with the categories Dog and Cat, and then runs the command that the refusal names. */
async function assertLists(context: TestContext, lists: readonly List[]): Promise<void> {
	const { service, write, run, pets } = await importer(context);
	await service.store.categories.apply([{ name: "Dog" }, { name: "Cat" }]);
	let before = 0;
	for (const [at, { rows, asked, question = "", animals, said, code = 0 }] of lists.entries()) {
		const file = `list-${at}`;
		write(file, rows);
		let finished = await run(file);
		if (asked !== undefined) {
			assert.deepEqual([finished.code, (await pets()).length], [1, before], finished.stderr);
			const command = finished.stderr.trimEnd().split("\n").at(-1) ?? "";
			assert.equal(command, `animal-store import ${file} ${asked}`);
			assert.ok(finished.stderr.includes(question), finished.stderr);
			finished = await run(file, { more: parametersOf(command).slice(3) });
		}
		assert.equal(finished.code, code, finished.stderr);
		if (said) assert.match(finished.stderr, said);
		const added = (await petsInWords(service)).slice(before);
		before += added.length;
		const found = added.map((animal) => animal.replace(/ –$/, ""));
		assert.deepEqual(found, animals, finished.stderr);
		aDayLater(service);
	}
}

/** Equal rows are then those of another day. */
function aDayLater({ clock }: TestService): void {
	clock.nowMs = (clock.nowMs ?? Date.now()) + 25 * 3_600_000;
}

test("own status words in any case are taken; words for nothing are no value and no category", async (context) => {
	await assertLists(context, [
		{
			rows: "Name,Species,Status\nPico,Dog,Available\nMoss,Cat,PENDING\nFern,Cat, Sold \n",
			animals: ["Pico Dog available", "Moss Cat pending", "Fern Cat sold"],
		},
		{
			rows: "name,species,status\nPico,Dog,NULL\nMoss,N/A,-\n#N/A,Cat,\nIvy,Cat,none\nAsh,--,(null)\nElm,Dog,N.A.\n",
			animals: ["Pico Dog", "Ivy Cat", "Elm Dog"],
			said: /"species" is "N\/A": enter a category, .*, 2 rows, the first is row 3\n {2}"name" is "#N\/A": enter a name, row 4\n$/,
			code: 2,
		},
		{ rows: '{"name":"Pico","species":"dog","status":"N/A"}\n', animals: ["Pico Dog"] },
		{
			rows: "Name,Species\nPico,Dog\nMoss,Cat\nFern,7\nAsh,2\nElm,Dog\n",
			animals: ["Pico Dog", "Moss Cat", "Ash Cat", "Elm Dog"],
			said: /rejected:\n {2}"Species" is "7": no category has this number: enter its name, row 4\n$/,
			code: 2,
		},
		{
			rows: "Name,Species\nJ?rg,Elk\n",
			asked: "--create-categories",
			question: 'CSV UTF-8):\n  "J?rg", row 2\n',
			animals: ["J?rg Elk"],
		},
	]);
});

test("unknown status words are asked about at once, and no status is a choice for each", async (context) => {
	const words = Array.from({ length: 20 }, (_, at) => `Elm ${at},Dog,Word ${at}\n`).join("");
	await assertLists(context, [
		{
			rows: "Name,Species,Status\nPico,Dog,Available\nMoss,Cat,Foster\nFern,Cat,Adopted\nAsh,Dog,Hold - Medical\n",
			asked: "--map status:Foster= --map status:Adopted=sold --map 'status:Hold - Medical='",
			animals: ["Pico Dog available", "Moss Cat", "Fern Cat sold", "Ash Dog"],
		},
		{
			rows: `Name,Species,Status\nPico,Dog,adopted\n${words}`,
			asked: "--map status:adopted=sold --map 'status:*='",
			question: "Elm 2 (Dog, Word 2), Elm 3 (Dog, Word 3)\n",
			animals: ["Pico Dog sold", ...Array.from({ length: 20 }, (_, at) => `Elm ${at} Dog`)],
		},
	]);
});

test("quotes after a blank are quotes, and lines may end with CR alone", async (context) => {
	const animals = ["Pico Dog sold", "Moss, Jr. Cat"];
	await assertLists(context, [
		{ rows: '"name", "type", "status"\n"Pico", "Dog", "sold"\n"Moss, Jr.", "Cat", ""\n', animals },
		{ rows: 'Name,Species,Status\rPico,Dog,sold\r"Moss, Jr.",Cat,\r', animals },
		{ rows: '{"name":"Pico","species":"Dog"}\r{"name":"Moss","species":"Cat"}', animals: ["Pico Dog", "Moss Cat"] },
		{ rows: "name,species\n", animals: [], said: /no row is an animal; nothing was sent\n$/, code: 1 },
	]);
});

test("the only array of objects in an object is the list, on one line or many", async (context) => {
	const rows = '[\n{"name":"Pico","species":"Dog"},\n{"name":"Moss","species":"Cat"}]';
	const animals = ["Pico Dog", "Moss Cat"];
	const tail = /array: other objects follow the array; nothing was sent\n$/;
	await assertLists(context, [
		{ rows: `{\n"name": "Our [animals]", "tags": ["a"], "animals": ${rows}, "total": 2}\n`, animals },
		{ rows: `{"page":{"next":null,"data":${rows.replaceAll("\n", "")}}}`, animals },
		{ rows: `{"animals":${rows},"people":[{"name":"Ann","species":"Dog"}]}`, animals: [], said: tail, code: 1 },
		{ rows: '{"name":"Pico","species":"Dog","photos":[{"name":"a"}]}\n', animals: ["Pico Dog"] },
		{ rows: '{"Z1":{"name":"Pico"},"Z2":{"name":"Moss"}}', animals: [], said: /missing columns?: name/, code: 1 },
		{ rows: '{"name":"Pico","species":"Dog","photos":[{}]}\n{"name":"Moss","species":"Cat"}\n', animals },
	]);
});

test("a State beside a City is no status, and the coarser of two kinds is the category", async (context) => {
	await assertLists(context, [
		{
			rows: "Nombre,Especie,Estado,Estatus\nPico,Dog,Jalisco,Adoptado\n",
			asked: "--map status:Adoptado=sold",
			animals: ["Pico Dog sold"],
		},
		{ rows: "Name,Species,City,State\nPico,Dog,Springfield,WA\n", animals: ["Pico Dog"], said: /ignored.*"State"/ },
		{
			rows: "Name,Breed,Animal Type,Outcome Type\nPico,Beagle,Dog,Adoption\nMoss,Manx,Cat,Transfer\n",
			animals: ["Pico Dog", "Moss Cat"],
			said: /\nthe category is in column "Animal Type"; --map categoryId=Breed takes another\n/,
		},
	]);
});

test("columns of shelter software are found in tables and JSON", async (context) => {
	const animals = ["Pico Dog"];
	await assertLists(context, [
		{ rows: "id,animalname,breedname,speciesname,location\n1,Pico,Beagle,Dog,Kennel 1\n", animals },
		{ rows: '[{"ANIMALNAME":"Pico","SPECIESNAME":"Dog","BREEDNAME":"Beagle"}]', animals },
		{ rows: "animalID,animalName,animalSpecies,animalPrimaryBreed,animalStatus\n1,Pico,Dog,Beagle,\n", animals },
	]);
});

test("of two columns with one name, the one beside the category is proposed, by position", async (context) => {
	await assertLists(context, [
		{
			rows: "Name;Telefon;Name;Tierart\nFrau A;1;Pico;Dog\nHerr B;2;Moss;Cat\n",
			asked: "--map 'name=#3'",
			animals: ["Pico Dog", "Moss Cat"],
		},
	]);
});

test("a workbook's numbers keep the zeros of their format; merged cells are filled, except names", async (context) => {
	const padded = ["123", "456789"].map((number) => [{ padded: number }, "Dog"]);
	const merged = "Our animals\nSpecies,Name\nDog,Pico\n,Moss\nCat,Fern\n,Ash";
	await assertLists(context, [
		{ rows: workbook({ Herd: [["Name", "Species"], ...padded] }), animals: ["00123 Dog", "456789 Dog"] },
		...(["worksheets", "/xl/worksheets"] as const).map((folder) => ({
			rows: workbook({ "Dogs & cats": merged }, ["A1:B1", "A3:A4", "A5:A6"], folder),
			animals: ["Pico Dog", "Moss Dog", "Fern Cat", "Ash Cat"],
		})),
		{
			rows: workbook({ A: "Name,Species\n\nPico,Dog\n,Cat" }, ["A1:A2", "A3:A4"]),
			animals: ["Pico Dog"],
			said: /rejected:\n {2}"Name" is empty: enter a name, row 4\n$/,
			code: 2,
		},
	]);
});

test("sums and repeated headings are left out and named; Total may be the name of an animal", async (context) => {
	const animals = ["Pico Dog", "Moss Cat"];
	const sums = [
		"Grand total",
		"Zwischensumme",
		"Sous-total : 2",
		"Somme",
		"Suma",
		"Soma: 2",
		"Totales",
		"Count",
		"Anzahl",
	];
	const said = /\nleft out, no animals: row 3 \("Name"\), row 6 \("Total"\), row 7 \("Total: 2 animals"\)\n/;
	await assertLists(context, [
		{ rows: "Name,Species\nPico,Dog\nName,Species\nMoss,Cat\n,\nTotal,2\nTotal: 2 animals,\n", animals, said },
		{
			rows: "Nr;Name;Tierart\n1;Pico;Dog\n2;Moss;Cat\nSumme;2;\n;Gesamt;2\n",
			animals,
			said: /row 4 \("Summe"\), row 5/,
		},
		{
			rows: `Name,Species\nPico,Dog\nMoss,Cat\n${sums.map((sum) => `${sum},\n`).join("")}`,
			animals,
			said: /: row 4 \("Grand total"\), row 5 .*\) and 6 more rows\n/,
		},
		{ rows: "Name,Category\nTotal,1\nTotalita,2\n", animals: ["Total Dog", "Totalita Cat"] },
		{ rows: "Name,Species\nTotal,Dog\nSum,Cat\n", animals: ["Total Dog", "Sum Cat"] },
	]);
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

test("vowels of other scripts make other categories; one that differs by accents alone is named", async (context) => {
	const { service, run, add } = await importer(context);
	await service.store.categories.apply([{ name: "Kätzchen" }]);
	const rows = "เอ,ไก่\nบี,ไก\nซี,ไก่\nRex,Katzchen\nMia,KÄTZCHEN\nMoss,Bò\nJim,Bo\nZoë,Bò\n";
	const { stderr } = await add("list", `name,category\n${rows}`);
	for (const [word, like] of Object.entries({ Katzchen: '"Kätzchen" (category 1)', Bo: '"Bò"' }))
		assert.ok(stderr.includes(`\n"${word}" in 1 row is an unknown category; but for its accents, it is ${like}\n`));
	const many = Array.from({ length: 12 }, (_, at) => `Elk,Elk ${at}\n`.repeat(2)).join("");
	const dry = await add("many", `name,category\n${many}Rex,Katzchen\n`, "--dry-run");
	assert.match(dry.stderr, /\n"Katzchen" in 1 row .*"Kätzchen" \(category 1\)\n/, "also behind twelve others");
	const mapped = await run("list", { more: ["--create-categories", "--map", "categoryId:Katzchen=1"] });
	assert.equal(mapped.code, 0, mapped.stderr);
	const totals = (await service.store.categories.list(9)).map(({ name, animals }) => [name, animals]);
	assert.deepEqual(Object.fromEntries(totals), { Kätzchen: 2, ไก่: 2, ไก: 1, Bò: 2, Bo: 1 });
});

test("missing names, a list of one species and repeated ids are asked about, each with a flag", async (context) => {
	const intakes = "Animal ID,Name,Species,Intake\nZ1,Pico,Dog,2024\nZ1,Pico,Dog,2025\nZ2,Moss,Cat,2024\n";
	await assertLists(context, [
		{
			rows: "Animal ID,Name,Animal Type\nZ1,*Pico,Dog\nZ2,,Dog\nZ3,N/A,Cat\n",
			asked: "--unnamed 'Animal ID'",
			question: '\n2 animals without a name: --unnamed "" leaves them out; proposed: ',
			animals: ["*Pico Dog", "Z2 Dog", "Z3 Cat"],
			said: /^list-0: CSV with commas, UTF-8, 3 animals\n/,
		},
		{
			rows: "Name,Geburtsjahr,Geschlecht\nPico,2019,m\nMoss,2021,w\n",
			asked: "--category list-1 --create-categories",
			animals: ["Pico list-1", "Moss list-1"],
		},
		{
			rows: intakes,
			asked: "--once-per 'Animal ID'",
			question: '\n"Animal ID" repeats: 3 rows, 2 animals; --once-per "" takes each row; proposed: ',
			animals: ["Pico Dog", "Moss Cat"],
		},
		{ rows: "Owner ID,Name,Species\n1,Pico,Dog\n1,Moss,Cat\n", animals: ["Pico Dog", "Moss Cat"] },
	]);
	const { run, add, pets } = await importer(context);
	const flags = ["--category", "1", "--unnamed", "", "--once-per", "", "--map", "categoryId="];
	const { stdout, stderr } = await add("a", `${intakes}Z3,,Dog,2024\n`, ...flags);
	assert.match(stdout, /^a: 3 added, 0 already there, 0 rejected/);
	assert.match(stderr, /\nleft out: 1 row without a name\n/);
	assert.equal((await pets()).length, 3);
	const chip = await run("a", { more: ["--unnamed", "Chip"] });
	assert.match(chip.stderr, /there is no column "Chip" in row 1; nothing was sent\n$/);
});

test("a table without a heading, or with one in another language, is proposed by its values", async (context) => {
	const animals = ["Pico Dog", "Moss Cat", "Fern Cat"];
	await assertLists(context, [
		{
			rows: "7,Pico,Dog\n8,Moss,Cat\n9,Fern,Cat\n",
			asked: "--header-row 0 --map 'name=#2' --map 'categoryId=#3'",
			animals,
			said: /^list-0: CSV with commas, UTF-8, 3 animals\nignored column: "#1"\n$/,
		},
		{
			rows: "Wyrm;Moss;sold\nDog;Pico;available\nWyrm;Fern;\n",
			asked: "--header-row 0 --map 'name=#2' --map 'categoryId=#1' --map 'status=#3' --create-categories",
			animals: ["Moss Wyrm sold", "Pico Dog available", "Fern Wyrm"],
		},
		{
			rows: "Imię,Gatunek,Wiek\nPico,Dog,3\nMoss,Cat,4\nFern,Cat,5\n",
			asked: "--map 'name=#1' --map 'categoryId=#2'",
			animals,
		},
		{ rows: "7,Pico\n8,Moss\n", animals: [], said: /line 1: missing columns: name, categoryId/, code: 1 },
	]);
	const { add } = await importer(context);
	assert.match((await add("a", "Pico,Dog\n", "--header-row", "-1")).stderr, /an integer from 0 to 1000/);
});

test("line breaks in names are asked about, in tables and JSON, and become blanks", async (context) => {
	await assertLists(context, [
		{
			rows: 'Name,Species\n"Pico\n(Max)",Dog\n"Moss \r\n\r\n II\n",Cat\n',
			asked: "--one-line",
			question: "\n2 names with a line break: a blank will replace it; proposed: ",
			animals: ["Pico (Max) Dog", "Moss II Cat"],
		},
		{ rows: '{"name":"Pico\\nMax","species":"Dog"}\n', asked: "--one-line", animals: ["Pico Max Dog"] },
	]);
});

test("the sheets of one shape are one table, and their names may be the categories", async (context) => {
	const cats = [["Our cats"], ["Name", "Born"], ["Moss", "2020"], ["", ""], ["Fern", "2021"], ["Total", "2"]];
	const rows = workbook({ Cat: cats, Staff: "Who\nAnn", Dog: "Name,Born\nPico,2019" });
	const head = 'list-0: 2 sheets of a workbook \\(Cat, Dog\\), 3 animals\nnot read: "Staff"; .*';
	const said = new RegExp(`^${head}\n.*\nleft out, no animals: row 6 of sheet "Cat" \\("Total"\\)\n`);
	await assertLists(context, [{ rows, animals: ["Moss Cat", "Fern Cat", "Pico Dog"], said }]);
	const { read, add, pets } = await importer(context);
	const { stderr } = await add("a", rows, "--sheet", "Dog", "--category", "1");
	assert.match(stderr, /^a: sheet "Dog" of a workbook, 1 animal\n/);
	assert.equal((await pets()).length, 1);
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

test("of two ids the animal's counts, and of its rows the last one with a name", async (context) => {
	const rows = ["1,7,A1,Pico,Dog", "2,7,A2,,Cat", "3,7,A1,Unknown,Dog", "4,7,A3,*,Cat", "5,8,A2,,Cat", "6,8,A4,Na,Dog"];
	await assertLists(context, [
		{
			rows: ["ID,Owner ID,Animal ID,Name,Species", ...rows, ""].join("\n"),
			asked: "--unnamed 'Animal ID' --once-per 'Animal ID'",
			animals: ["Pico Dog", "A3 Cat", "A2 Cat", "Na Dog"],
		},
		...["Animal #", "Rescue ID", "ID_Mascota", "N° de puce"].map((id) => ({
			rows: `${id},Name,Species\n7,Pico,Dog\n7,Pico,Dog\n8,Moss,Cat\n`,
			asked: `--once-per ${quoteWord(id)}`,
			animals: ["Pico Dog", "Moss Cat"],
		})),
	]);
});

test("kinds are known by their words; comments are left out; the first animals are shown", async (context) => {
	const animals = ["Pico Dog", "Moss Cat"];
	await assertLists(context, [
		{
			rows: "Dog;Femelle;Pico\nCat;männlich;Moss\n",
			asked: "--header-row 0 --map 'name=#3' --map 'categoryId=#1'",
			animals,
		},
		{
			rows: "nom,ecpece,age\nPico,Dog,2\nMoss,Cat,3\n# end, of file\n",
			asked: "--map 'categoryId=#2'",
			animals,
			said: /left out, no animals: row 4 \("# end"\)/,
		},
		{ rows: "Tag,Name,Nickname,Type\n1,,Pico,Dog\n2,,Moss,Cat\n", animals },
		{ rows: "Tag,Name,Type\n1,Pico,Dog\n1,Moss,Cat\n", animals },
		{ rows: "Patient Name,Species,Client Name\nPico,Dog,Ann\nMoss,Cat,Bo\n", asked: "--map 'name=#1'", animals },
		{
			rows: "Nome;Specie;Sesso\nPico;cane;M\n",
			asked: "--map 'categoryId=#2' --create-categories",
			animals: ["Pico cane"],
		},
		{
			rows: "Dog's name,Age\nDOGS,\nPico,3\nHunde,\nMoss,4\n",
			asked: "--map 'name=#1' --category list-6 --create-categories",
			animals: ["Pico list-6", "Moss list-6"],
			said: /left out, no animals: row 2 \("DOGS"\), row 4 \("Hunde"\)/,
		},
	]);
	const { add } = await importer(context);
	const table = await add("a", "name,species\nPico,Dog\nMoss,Cat\n");
	assert.match(table.stderr, /\nthe first animals: Pico \(Dog\), Moss \(Cat\)\n/);
	const json = '[{"name":"Pico","kind":"Dog","breed":"Pug"},{"name":"Moss","kind":"Cat","breed":"Manx"}]';
	const { stderr } = await add("b", json);
	assert.equal(stderr.split("the category is in column").length, 2, "once, not for each row");
	assert.match((await add("c", '[{"name":"Pico","colour":"red"}]')).stderr, /--category c --create-categories\n$/);
});

test("a word that begins like a sum may be a name, and an id is named like one", async (context) => {
	const { add, pets } = await importer(context);
	const import1 = async (rows: string, ...more: string[]) => {
		const before = (await pets()).length;
		const finished = await add("a", rows, ...more);
		return { ...finished, names: (await pets()).slice(before).map(({ name }) => name) };
	};
	const names = ["Soma", "Count Dracula", "Total Eclipse", "# 12"];
	const born = `Born,Name\n${names.map((name) => `2020,${name}\n`).join("")}Total:,4\nAnzahl,4\n`;
	const oneKind = await import1(born, "--category", "1");
	assert.deepEqual(oneKind.names, names, oneKind.stderr);
	assert.deepEqual((await import1("Kennel,Name,Category\n# 12,Pico,1\n")).names, ["Pico"]);
	const kittens = await import1("Geburtstag,Name,Category\n1.2.2024,,1\n1.2.2024,,1\n");
	assert.deepEqual([kittens.code, kittens.names], [2, []], "no question proposes a birthday as a name");
	const gap = "ID,Name,Category,ID\n,Pico,1,7\n5,Pico,1,7\n6,Moss,2,8\n";
	assert.match((await import1(gap)).stderr, /\nanimal-store import a --once-per '#4'\n$/);
	assert.deepEqual((await import1(gap, "--once-per", "#4")).names, ["Pico", "Moss"]);
	const faulty = "ID,Name,Category\n7,Pico,1\n7,Pico,\n8,,2\n8,Moss,2\n";
	const { code, stderr, names: added } = await import1(faulty, "--once-per", "ID");
	assert.deepEqual([code, added], [0, ["Pico", "Moss"]], stderr);
	assert.match(stderr, /\nleft out: 2 rows with the "ID" of another row\n/);
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

test("the fields of JSON are those of all its objects, and columns like those of tables", async (context) => {
	await assertLists(context, [
		{
			rows: '{"name":"Pico","species":"Dog","breed":"Pug"}\n{"name":"Moss","breed":"Cat"}\n',
			animals: ["Pico Dog"],
			said: /rejected:\n {2}"species" is empty: .*, line 2\n$/,
			code: 2,
		},
		{ rows: '{"name":"Pico","photos":[{"name":"front"},{"name":"side"}],"species":"Dog"}', animals: ["Pico Dog"] },
		{
			rows: '{"name":"Pico","photos":[{"name":"front"}]}',
			asked: "--category list-2 --create-categories",
			animals: ["Pico list-2"],
		},
	]);
	const { add, pets } = await importer(context);
	const json = await add("a", '{"name":"Pico","categoryId":1}\n', "--header-row", "2");
	assert.match(json.stderr, /is for tables: .*; nothing was sent\n$/);
	const chips = '[{"chip":7,"name":"Pico","kind":"1"},{"chip":7,"name":null,"kind":2}]';
	const once = await add("c", chips, "--once-per", "chip", "--map", "categoryId=#3");
	assert.match(once.stdout, /^c: 1 added/);
	const late = `${'{"name":"Pico","categoryId":1}\n'.repeat(250)}{"name":"Moss","categoryId":2,"status":"sold"}\n`;
	assert.equal((await add("b", late)).code, 0);
	assert.deepEqual((await pets()).at(-1), { name: "Moss", categoryId: 2n, status: "sold" });
});

test("what the first run says of a table holds in the next one, and a dry run has its questions", async (context) => {
	await assertLists(context, [
		{
			rows: "2024,1,\nImię,Gatunek,Wiek\nPico,Dog,3\nMoss,Cat,4\nFern,Cat,5\n",
			asked: "--map 'name=#1' --map 'categoryId=#2'",
			animals: ["Pico Dog", "Moss Cat", "Fern Cat"],
		},
		{
			rows: "name,species,status\nPico,Dog,Foster\nMoss,Cat,?\nFern,Cat,Deceased\n",
			asked: "--map status:Foster= --map 'status:?=' --map status:Deceased=",
			animals: ["Pico Dog", "Moss Cat", "Fern Cat"],
		},
	]);
	const { add } = await importer(context);
	const once = ["--once-per", "Tag"];
	const { code, stdout } = await add("a", "Tag,Name,Category\n7,,1\n7,,1\nTotal,,\n", "--dry-run", "--json", ...once);
	const { questions, next, leftOut } = JSON.parse(stdout);
	assert.deepEqual([code, questions[0].flags, leftOut], [2, ["--unnamed", "Tag"], 2]);
	assert.equal(next, "animal-store import a --json --once-per Tag --unnamed Tag");
	const years = await add("b", workbook({ "2023": "Name\nPico", "2024": "Name\nMoss" }));
	assert.match(years.stderr, /missing column: categoryId/, "a year is no category");
	const sheets = workbook({ Dog: "Name,Born\nPico,2020\nName,Born\nMoss,2021", Cat: "Name,Born" });
	const dry = await add("c", sheets, "--dry-run");
	assert.match(dry.stderr, /left out, no animals: row 3 of sheet "Dog" \("Name"\)\n/);
});

test("a word in a printed command is the word that was given", () => {
	const plain = { "a/b.csv": "a/b.csv", "two  blanks": "'two  blanks'", "it's": "'it'\\''s'" };
	for (const [word, quoted] of Object.entries({ ...plain, "a\nb'\u202e": "$'a\\u000ab\\u0027\\u202e'" }))
		assert.equal(quoteWord(word), quoted);
});
