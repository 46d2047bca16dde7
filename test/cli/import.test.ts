// `animal-store import` with valid and invalid files.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { createKey } from "../../src/keys/issue.ts";
import { assertImported, importer } from "../support/importer.ts";
import { archive, type Cell, workbook } from "../support/workbook.ts";

const nameRule =
	"must be a string of 1 to 255 Unicode code points: not only white space, no control characters, no lone surrogates";
const numberRule = "a category is a whole number, such as 4";

const given = { name: "Rex", categoryId: 1, status: "available" };
const rex = { ...given, categoryId: 1n };

test("bad lines of CSV go to a file with the reason, which is imported once it is corrected", async (context) => {
	const { read, add, pets } = await importer(context);
	const rows = ["Rex,1,available", "x,1.5,sold", ",3,", "d,4.5,5", "f,6.5,gone"];
	const { code, stdout, stderr } = await add("a.csv", ["name,categoryId,status", ...rows, ""].join("\n"));
	assert.equal(code, 2, stderr);
	assert.match(stdout, /^a\.csv: 1 added, 0 already there, 4 rejected \(see a\.csv\.rejected\.csv\)/);
	const lines = read("a.csv.rejected.csv").split("\n");
	const reasonOf = (number: string) => `"""categoryId"" is ""${number}"": ${numberRule}"`;
	assert.deepEqual(lines, [
		"line,reason,name,categoryId,status",
		...[`3,${reasonOf("1.5")},x,1.5,sold`, '4,"""name"" is empty: enter a name",,3,'],
		...[`5,${reasonOf("4.5")},d,4.5,5`, `6,${reasonOf("6.5")},f,6.5,gone`, ""],
	]);
	const mended = await add("b.csv", `${lines[0]}\n${lines[1]?.replace("x,1.5", "x,1")}\n${lines[3]}\n`);
	assert.match(mended.stdout, /^b\.csv: 1 added, 0 already there, 1 rejected/);
	assert.match(read("b.csv.rejected.csv"), /^line,reason,name,categoryId,status\n3,[^\n]+,d,4.5,5\n$/);
	assert.deepEqual(await pets(), [rex, { name: "x", categoryId: 1n, status: "sold" }]);
});

test("bad lines of NDJSON and JSON keep their text and numbers in the rejected file", async (context) => {
	const { read, add, pets } = await importer(context);
	const written = `{"name":"x","categoryId":1.50}\n{broken\n5\n{"nmae":"x"}\n{"line":1,"reason":"x"}\n`;
	assert.equal((await add("a", `${JSON.stringify(given)}\n${written}`)).code, 2);
	const lines = read("a.rejected.ndjson").trimEnd().split("\n");
	const expected = [
		/^\{"name":"x","categoryId":1\.50,"line":2,"reason":"\\"categoryId\\": A category [^"]+"\}$/,
		/^\{"line":3,"reason":"not one JSON object: .*","text":"\{broken"\}$/,
		/^\{"line":4,"reason":"not a JSON object","text":"5"\}$/,
		/^\{"nmae":"x","line":5,"reason":"\\"name\\" is empty: enter a name; [^}]+"\}$/,
		/^\{"line":6,"reason":"[^}]+"\}$/,
	];
	for (const [index, pattern] of expected.entries()) assert.match(lines[index] ?? "", pattern);
	assert.equal((await add("again.ndjson", `${lines[0]}\n`)).code, 2);
	assert.match(read("again.ndjson.rejected.ndjson"), /^\{"name":"x","categoryId":1\.50,"line":1,"reason":"[^}]*"\}\n$/);
	assertImported(await add("a.rejected.ndjson", `${lines[0]?.replace("1.50", "1.0")}\n`), /1 added/);
	assert.deepEqual(await pets(), [rex, { name: "x", categoryId: 1n }]);
	assert.equal((await add("b.json", '[\n{"name":"",\n"categoryId":9223372036854775808}\n]')).code, 2);
	const reason = '\\"name\\" is empty: enter a name; \\"categoryId\\": This number is too large for a category';
	const rejected = `{"name":"", "categoryId":9223372036854775808,"line":2,"reason":"${reason}"}\n`;
	assert.equal(read("b.json.rejected.ndjson"), rejected);
});

test("a spreadsheet's file shows its format, ignored columns and frequent reasons", async (context) => {
	const { path, write, run, pets } = await importer(context);
	const rows = ['"\n";1;;', "Zo\xeb;2;sold;red", ";3;;", "Ann;7-;;", "Bo;1,5;;", "Cy;;gone;", "Di;5;;", "Ed;6;;;x", ""];
	write("a.csv", Buffer.from(["Called;Category ID;STATUS;Colour", ...rows].join("\r\n"), "latin1"));
	const mapped = (...more: string[]) => run("a.csv", { more: ["--map", "name=Called", ...more] });
	const columns = 'row 1 has the columns "Called", "Category ID", "STATUS", "Colour"';
	const fix = `${columns}; --map FIELD=COLUMN chooses a column; nothing was sent\n`;
	assert.equal((await run("a.csv")).stderr, `animal-store: a.csv, line 1: missing column: name; ${fix}`);
	assert.match((await run("a.csv", { more: ["--map", "colour=Colour"] })).stderr, /FIELD is name, categoryId, status/);

	const dry = await mapped("--dry-run");
	const said = [
		"a.csv: CSV with semicolons, Windows-1252, 2 animals, 6 rows to reject",
		'ignored column: "Colour"',
		"rejected:",
		'  "Called" is empty: enter a name, 2 rows, the first is row 2',
		`  "Category ID" is "7-": ${numberRule}, 2 rows, the first is row 5`,
		'  "Category ID" is empty: enter a category, such as 4, row 7',
		"  and 1 other reason",
	];
	assert.deepEqual([dry.code, dry.stderr], [2, [...said, "nothing was sent", ""].join("\n")]);
	assert.equal(dry.stdout, "categoryId  status  name\n         2  sold    Zoë\n         5  -       Di\n");
	assert.deepEqual([await pets(), existsSync(path("a.csv.rejected.csv"))], [[], false]);

	const { code, stdout, stderr } = await mapped();
	assert.deepEqual([code, stderr], [2, [...said, ""].join("\n")]);
	assert.match(stdout, /^a\.csv: 2 added, 0 already there, 6 rejected \(see a\.csv\.rejected\.csv\), in /);
	assert.deepEqual(await pets(), [
		{ name: "Zoë", categoryId: 2n, status: "sold" },
		{ name: "Di", categoryId: 5n },
	]);
	const second = await mapped("--json");
	const again = JSON.parse(second.stdout);
	assert.deepEqual([second.code, again.added, again.alreadyThere, again.rejected], [2, 0, 2, 6]);
	assert.ok(Math.abs(again.importedAtMs - Date.now()) < 600_000);
	const example = '"Called" is empty: enter a name';
	assert.deepEqual(again.reasons[0], { reason: `name ${nameRule}`, rows: 2, firstRow: 2, example });
});

test("the sheet with animals is found or named, and damaged or huge workbooks are refused", async (context) => {
	const { read, run, add, pets } = await importer(context);
	const rows: Cell[][] = [
		["Name", "Category\n(number)"],
		["Rex", { digits: "3.0" }],
		[{ days: 46_348 }, { digits: "1.5" }],
		["Nine", { digits: "9007199254740993" }],
	];
	const sheets = { Notes: "nothing", "All animals": rows, Other: "name\nZoë" };
	const { code, stderr } = await add("animals.xlsx", workbook(sheets));
	assert.equal(code, 2);
	assert.match(stderr, /^animals\.xlsx: sheet "All animals" of a workbook, 2 animals, 1 row to reject\n/);
	assert.match(read("animals.xlsx.rejected.csv"), /\n3,"""Category \(number\)"" is [^\n]*,2026-11-22,1\.5\n/);
	const categories = (await pets()).map(({ categoryId }) => categoryId);
	assert.deepEqual(categories, [3n, 9_007_199_254_740_993n], "not rounded");
	const other = await run("animals.xlsx", { more: ["--sheet", "Other"] });
	const command = "animal-store import animals.xlsx --sheet Other --category Other --create-categories";
	assert.equal(other.stderr.trimEnd().split("\n").at(-1), command);
	const huge = archive({ "xl/workbook.xml": "<workbook/>" });
	// Enlarges the size that the archive's directory states for the last part.
	huge.writeUInt32LE(128 * 1024 * 1024 + 1, huge.lastIndexOf("PK\u0001\u0002", undefined, "latin1") + 24);
	const many = Array.from({ length: 1100 }, (_, at) => rows[at % 2] ?? []);
	const refused: [content: Buffer | string, said: string, ...more: string[]][] = [
		[workbook({ A: "name" }), 'the workbook has no sheet "B", but A', "--sheet", "B"],
		[workbook({ A: [] }), 'sheet "A" is empty: there is nothing to import'],
		[workbook({ A: [...many, ["\n", "x".repeat(70_000)]] }), "row 1101 is longer than 65536 characters: shorten it"],
		[workbook({ A: rows }).subarray(0, 900), "the archive is damaged: save the workbook again"],
		[archive({ "a.txt": "" }), "the file is an archive, but no workbook (.xlsx): save the table as .xlsx or CSV"],
		[archive({ "xl/workbook.xml": "" }), "the workbook cannot be read ("],
		[huge, "the workbook unpacks to more than 128 MiB: save the sheet as CSV"],
		[Buffer.alloc(65 * 1024 * 1024, "PK\u0003\u0004"), "the workbook has more than 64 MiB: save the sheet as CSV"],
		[Buffer.from([0xd0, 0xcf, 0x11, 0xe0]), "the file is an old workbook (.xls), or has a password"],
		["name,categoryId\n", "the file has no sheets, because it is no workbook: leave out --sheet", "--sheet", "A"],
	];
	for (const [content, said, ...more] of refused) {
		const { code, stderr } = await add("a", content, ...more);
		assert.deepEqual([code, stderr.includes(`animal-store: a: ${said}`)], [1, true], stderr);
	}
});

test("titles above the heading are skipped; the meanings of values are confirmed before sending", async (context) => {
	const { write, run, add, pets } = await importer(context);
	const rows = ["Bello;1;zu vermitteln", "M?ller;2;Verkauft ", "J\xf6rg;3; reserviert", "Ida;4;verkauft", "Uma;5;it's"];
	const text = ["Tiere, Stand: heute;;", "", "Tiername;Kategorie-Nr.;Zustand", ...rows, ""].join("\r\n");
	const asked = await add("tiere.csv", Buffer.from(text, "latin1"));
	assert.deepEqual([asked.code, asked.stdout, await pets()], [1, "", []]);
	const [kind, ...said] = asked.stderr.trim().split("\n");
	assert.equal(kind, "tiere.csv: CSV with semicolons, Windows-1252, 0 animals, 5 rows to confirm");
	const flags = "--map status:Verkauft=sold --map 'status:zu vermitteln=available' --map status:reserviert=pending";
	const [lost = "", , first = "", ...others] = said;
	assert.match(lost, /^names that seem to have lost letters/);
	const animals = /^the first animals: Bello \(1, zu vermitteln\), M.*ller \(2, Verkauft\), Jörg \(3, reserviert\), /;
	assert.match(first, animals);
	assert.deepEqual(others, [
		'"Verkauft" in 2 rows seems to mean sold',
		'"zu vermitteln" in 1 row seems to mean available',
		'"reserviert" in 1 row seems to mean pending',
		'"it\'s" in 1 row is an unknown status',
		"animal-store: tiere.csv: nothing was sent; status:TEXT= means no status; to confirm, run:",
		`animal-store import tiere.csv ${flags} --map 'status:it'\\''s='`,
	]);
	const tried = await run("tiere.csv", { more: ["--dry-run"] });
	assert.equal(tried.code, 2);
	assert.match(tried.stderr, /\nnothing was sent; .*; to confirm, run:\nanimal-store import tiere.csv --map /);
	const counted = JSON.parse((await run("tiere.csv", { more: ["--dry-run", "--json"] })).stdout);
	assert.deepEqual([counted.animals, counted.unclear, counted.rejected, counted.reasons.length], [0, 5, 0, 0]);
	const meanings = ["Verkauft=sold", "zu vermitteln=available", "reserviert=pending", "it's="];
	const more = meanings.flatMap((meaning) => ["--map", `status:${meaning}`]);
	const { code, stderr } = await run("tiere.csv", { more });
	assert.equal(code, 0, stderr);
	assert.match(stderr, /\nnames that seem to have lost letters .*:\n {2}"M\?ller", row 5\n$/);
	assert.deepEqual(await pets(), [
		{ name: "Bello", categoryId: 1n, status: "available" },
		{ name: "M?ller", categoryId: 2n, status: "sold" },
		{ name: "Jörg", categoryId: 3n, status: "pending" },
		{ name: "Ida", categoryId: 4n, status: "sold" },
		{ name: "Uma", categoryId: 5n },
	]);
	write("both.csv", "name,categoryId,status\n,1,verkauft\n");
	assert.match((await run("both.csv")).stderr, /, 0 animals, 1 row to reject\n/, "a meaning would not be enough");
	write("odd.csv", `${"1,2\n".repeat(299)}A,B\nRex,1\n`);
	const map = ["--map", "name=A", "--map", "categoryId=B", "--header-row"];
	for (const [more, said] of [
		[[...map, "302"], /: row 302 is empty or missing/],
		[[...map, "1000"], /: row 1000 is empty or missing/],
		[["--header-row", "1001"], /must be an integer from 0 to 1000\./],
		[["--again", "1001"], /must be an integer from 1 to 1000\./],
		[["--header-row", "1"], /row 1 has the columns "1", "2"/],
		[["--map", "status:x=y"], /A status is available, pending, sold, or/],
	] as const)
		assert.match((await run("odd.csv", { more: [...more] })).stderr, said);
	assert.match((await run("odd.csv", { more: [...map, "300"] })).stdout, /1 added/);
});

test("names of categories are matched; unknown ones are made only on request, and once", async (context) => {
	const { service, environment, write, run, add, pets } = await importer(context);
	const categories = async () => (await service.store.categories.list(9)).map(({ id, name }) => `${id} ${name}`);
	const rows = Object.entries({ Bello: "Hund", Mia: "Katze ", Rex: " HUND", Pia: "7", Uhu: "–" });
	const table = await add("tiere.xlsx", workbook({ Tiere: [["Unsere Tiere"], [], ["Rufname", "Tierart"], ...rows] }));
	assert.match(table.stderr, /, 0 animals, 3 rows to confirm, 2 rows to reject\n/);
	const ours = ["--map", "categoryId:7=7"]; // A number among words is a category only if a person says so.
	const asked = await run("tiere.xlsx", { more: ours });
	assert.equal(asked.code, 1);
	const said = [
		'tiere.xlsx: sheet "Tiere" of a workbook, 1 animal, 3 rows to confirm, 1 row to reject',
		"the first animals: Bello (Hund), Mia (Katze), Rex (HUND), Pia (7)",
		'"Hund" in 2 rows is an unknown category',
		'"Katze" in 1 row is an unknown category',
	];
	const fix = "nothing was sent; --map categoryId:NAME=NUMBER uses an existing category; to confirm, run:";
	const command = "animal-store import tiere.xlsx --map categoryId:7=7 --create-categories";
	assert.equal(asked.stderr, [...said, `animal-store: tiere.xlsx: ${fix}`, command, ""].join("\n"));
	const dry = { more: ["--dry-run", "--json"], environment: {} };
	const { unknown } = JSON.parse((await run("tiere.xlsx", dry)).stdout);
	assert.deepEqual(unknown[0], { field: "categoryId", text: "Hund", proposed: "Hund", rows: 2 });
	const { key } = await createKey(service.issuer, { name: "adds", scopes: ["pets:read", "pets:write"] });
	const weak = { more: [...ours, "--create-categories"], environment: { ...environment, ANIMAL_STORE_KEY: key } };
	assert.match((await run("tiere.xlsx", weak)).stderr, /the key needs the scope pets:edit; nothing was sent\n$/);
	assert.deepEqual([await pets(), await categories()], [[], []]);

	const made = await run("tiere.xlsx", { more: [...ours, "--create-categories"] });
	assert.match(made.stderr, /\nnew categories: "Hund" is 1, "Katze" is 2\n/);
	assert.match(made.stdout, /^tiere\.xlsx: 4 added, 0 already there, 1 rejected/);
	const added = Object.entries({ Bello: 1n, Mia: 2n, Rex: 1n, Pia: 7n });
	assert.deepEqual((await pets()).map(Object.values), added);
	assert.match((await run("tiere.xlsx", weak)).stdout, /: 0 added, 4 already there /, "a key that knows the names");
	const more = ["Kater=2", "Wal=", "HUND=7"].flatMap((meaning) => ["--map", `categoryId:${meaning}`]).concat("--json");
	const { stdout } = await add("more.csv", "name,species\nTom,Kater\nMoby,Wal\nIda,hund\nKit,Katze\n", ...more);
	const done = JSON.parse(stdout);
	assert.deepEqual([done.added, done.rejected, done.categories], [3, 1, []]);
	assert.deepEqual((await pets()).slice(4).map(Object.values), Object.entries({ Tom: 2n, Ida: 7n, Kit: 2n }));
	assert.deepEqual(await categories(), ["1 Hund", "2 Katze", "7 undefined"]);
	const wrong = await run("more.csv", { more: ["--map", "categoryId:Wal=big"] });
	assert.match(wrong.stderr, /Give the number of a category, or nothing to reject such rows/);
	write("many.csv", `name,type\n${Array.from({ length: 1001 }, (_, n) => `a,type ${n}\n`).join("")}`);
	const many = await run("many.csv", { more: ["--create-categories"] });
	assert.match(many.stderr, /more than 1000 unknown categories; /);
});

test("rows that differ or were removed are not added; --again adds the file once more", async (context) => {
	const { service, read, run, add, pets } = await importer(context);
	const withSlash = ["--url", `${service.url}/v1/`];
	assertImported(await add("a.csv", "name,categoryId,status\nRex,1,available\nMia,2,\n", ...withSlash), /2 added/);
	const first = await run("a.csv");
	const there =
		/: 0 added, 2 already there \(this file was imported (today|yesterday) at \d+:\d\d by [^)]+\), 0 .*\nto add them once more: --again 2\n$/;
	assert.match(first.stdout, there);
	const other = await run("a.csv", { more: ["--map", "status="] });
	assert.deepEqual([other.code, / 1 already there .* 1 rejected /.test(other.stdout)], [2, true], other.stdout);
	assert.match(other.stderr, /\nrejected:\n {2}already there with other values: animal 1, row 2\n$/);
	assert.match(read("a.csv.rejected.csv"), /\n2,already there with other values: animal 1,Rex,1,available\n$/);
	const asked = (await run("a.csv.rejected.csv")).stderr.trimEnd().split("\n");
	assert.match(asked[2] ?? "", /^1 of 1 row is already there .*; --add-existing adds them once more; proposed: --skip/);
	assertImported(await run("a.csv.rejected.csv", { more: ["--add-existing"] }), /: 1 added, 0 already there, /);
	for (const petId of [1n, 3n]) await service.store.edits.apply({ petId, editor: "me", action: "remove" });
	const removed = await run("a.csv");
	assert.match(removed.stderr, /\nrejected:\n {2}added before, and removed since: animal 1, row 2\n$/);
	assertImported(await run("a.csv", { more: ["--again", "2"] }), /2 added, 0 already there, /);
	assert.match((await run("a.csv", { more: ["--again", "2"] })).stdout, /to add them once more: --again 3\n$/);
	assert.equal((await pets()).map(({ name }) => name).join(), "Mia,Rex,Mia");
	assert.match((await add("two\nlines.csv", "name,categoryId\nBo,1\n")).stdout, /1 added/, "a name of two lines");
});
