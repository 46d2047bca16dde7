// How the columns of an animal's fields are found: by their names, by a mapping, and below titles.

import assert from "node:assert/strict";
import { test } from "node:test";
import { read, sourceOf } from "../../test/support/read-rows.ts";
import type { FileError } from "./encoding.ts";
import { detectKind } from "./formats.ts";
import { correctedRow, previewRows, type ReadOptions, textsOf } from "./rows.ts";

const zoe = { name: "Zoë", categoryId: 7n, status: "sold" };

test("a mapping names columns with other names; an exact name takes precedence over a shorter one", async () => {
	const content = "Animal name;Category;CategoryID;state\nRex;Dogs;5;sold\n";
	const unused: string[] = [];
	const mapping = { name: "animal NAME", status: "state" };
	const mapped = await read(content, { mapping, onUnused: (name) => unused.push(name) });
	assert.deepEqual([mapped.pets, unused], [[{ name: "Rex", categoryId: 5n, status: "sold" }], []]);
	const ours = await read("id,line,reason,Sheet,name,categoryId\n1,2,empty,A,Rex,5\n", { onUnused: assert.fail });
	assert.deepEqual(ours.pets, [{ name: "Rex", categoryId: 5n }]);
	const many = Array.from({ length: 150 }, (_, n) => `{"name":"a","categoryId":1,"field ${n % 120}":1}`);
	let reports = 0;
	await read(many.join("\n"), { onUnused: () => reports++ });
	assert.equal(reports, 100, "each is reported once, up to a limit");
	const without = await read("name,categoryId,status\nRex,5,none\n", { mapping: { status: null } });
	assert.deepEqual(without.pets, [{ name: "Rex", categoryId: 5n }]);
	const json = await read('{"Animal name":"Rex","Category":5,"x":1}', { mapping: { name: "Animal name" } });
	assert.deepEqual(json.pets, [{ name: "Rex", categoryId: 5n }]);
	const exact = await read("name,Name,categoryId\nAnn,Rex,5\n", { mapping: { name: "Name" } });
	assert.deepEqual(exact.pets, [{ name: "Rex", categoryId: 5n }]);
});

test("a mapping by position takes one of several columns with the same name or none", async () => {
	const content = 'Tier,Tier,,,\nAnn,Rex,1,7,sold\nBo,"Mia\nB",2,8,\n';
	const mapping = { name: 1, categoryId: 3, status: 4 };
	const { pets, rows } = await read(content, { mapping });
	assert.deepEqual(pets, [{ name: "Rex", categoryId: 7n, status: "sold" }]);
	const [, broken] = rows;
	assert.ok(broken);
	assert.deepEqual(textsOf(broken.given), { name: "Mia\nB", categoryId: "8", status: "" });
	assert.deepEqual(correctedRow(broken, { name: "Mia" }, { mapping }).pet, { name: "Mia", categoryId: 8n });
});

test("a title above the heading is not taken for it if a later row has known names, and not all fields", async () => {
	const titles = ["Our animals", "Tierheim, Stand: heute;;;", "Liste;Nr. 7;neu;x", "Animal"];
	for (const title of titles) {
		const content = `${title}\n\nTiername;Farbe;Zustand\nRex;7;sold\n`;
		const source = sourceOf(content);
		const kind = await detectKind(source);
		const { headerRow, columns } = await previewRows(source, kind, 3);
		assert.deepEqual([kind.delimiter, headerRow, columns], [";", 3, ["Tiername", "Farbe", "Zustand"]], title);
		await assert.rejects(read(content), /^Error: missing column: categoryId; row 3 has the columns "Tiername"/);
		const { pets } = await read(content, { mapping: { categoryId: "Farbe" } });
		assert.deepEqual(pets, [{ name: "Rex", categoryId: 7n, status: "sold" }]);
	}
	const below = (titles: number) => read(`${"x\n".repeat(titles)}name,category\nRex,1\n`);
	assert.equal((await below(11)).pets.length, 1);
	await assert.rejects(below(12), /missing columns/, "a heading is in the first twelve rows");
	const better = await read("Animal,Status of today\nname,category,status\nRex,1,sold\n");
	assert.deepEqual(better.pets, [{ name: "Rex", categoryId: 1n, status: "sold" }]);
});

test("headings as people write them name the fields, and where none is known the first row with two texts is one", async () => {
	const tables = [
		"Rufname,Tierart,Verfügbarkeit\nZoë,7,sold",
		"Animal name,Category number,Availability\nZoë,7,sold",
		"Rufname;Kategorie-ID;Zustand\nZoë;7;sold",
		"Nom de l'animal;Catégorie;Disponibilité\nZoë;7;sold",
		"Nombre;Categoría;Estado\nZoë;7;sold",
		"Nome do animal;ID categoria;Situação\nZoë;7;sold",
		"Tier,Rasse,Zustand\nZoë,7,sold",
		"Name,Tier,Status\nZoë,7,sold",
		"The name,Kind / breed,State\nZoë,7,sold",
		"Animal,Species,Availability\nZoë,7,sold",
		"Pet name,Type,Status (today)\nZoë,7,sold",
		"Nom,L’espèce,Disponibilité\nZoë,7,sold",
		"Nombre,Raza,Estado\nZoë,7,sold",
		"O nome,Espécie,Situação\nZoë,7,sold",
		"Name,Tiername,Art,Status,Vermittlungsstatus\nAnn,Zoë,7,ill,sold",
		'"Name\n(Tier)",Name,Tierart,Rasse,Kategorie,Status,Zustand\nZoë,Ann,Hund,x,7,sold,ill',
	];
	for (const table of tables) {
		const { pets } = await read(`Our animals,,2026\nnothing\n${table}\n`);
		assert.deepEqual(pets, [zoe], table);
	}
	const source = sourceOf("Stand: 1.1.\n1,2\nRufzeichen,Farbe\nRex,7\n");
	const { headerRow } = await previewRows(source, await detectKind(source), 3);
	assert.equal(headerRow, 3);
});

test("a text in place of a category is a word, a number never, and a correction may be a name that is known", async () => {
	const cells = ["Hund", " hund ", "Chien d’eau", "7", "1.5", "1E+20", "-", "Katze"];
	const values = { categoryId: new Map([["hund", 4n] as const, ["7", 8n] as const, ["katze", null] as const]) };
	const { rows, pets } = await read(["name;Art", ...cells.map((cell) => `Rex;${cell}`)].join("\n"), { values });
	const ids = pets.map(({ categoryId }) => categoryId);
	assert.deepEqual(ids, [4n, 4n, 7n]);
	assert.deepEqual(rows.map(({ unknown }) => unknown?.categoryId).filter(Boolean), ["Chien d’eau"]);
	const [, , water, , dotted] = rows;
	assert.ok(water && dotted);
	assert.equal(correctedRow(water, { categoryId: "HUND" }, { values }).pet?.categoryId, 4n);
	assert.deepEqual(correctedRow(dotted, { categoryId: "Wal" }, { values }).unknown, { categoryId: "Wal" });
	const json = await read('{"name":"Rex","species":"Hund"}\n{"name":7,"species":"7"}', { values });
	assert.deepEqual(json.pets, [
		{ name: "Rex", categoryId: 4n },
		{ name: "7", categoryId: 7n },
	]);
});

test("missing, unknown and duplicate columns refuse the file", async () => {
	const files: [content: string, options: ReadOptions, said: RegExp][] = [
		["Rex,1,sold\n", {}, /^missing columns: name, categoryId; .* "Rex", "1", "sold"$/],
		["name,status\nRex,sold\n", {}, /^missing column: categoryId; row 1 has the columns "name", "status"$/],
		["Name,name,categoryId\n", {}, /^several columns match name: "Name", "name"; row 1/],
		["Name,Tierart,Species\n", {}, /^several columns match categoryId: "Tierart", "Species"; row 1/],
		[
			`${"a".repeat(41)},b,c,d,e,f,name\n`,
			{},
			/^missing column: categoryId; .* "a{40}", "b", "c", "d", "e" and 2 more$/,
		],
		["x,x,categoryId\n", { mapping: { name: "x" } }, /^several columns match name: "x", "x"; row 1/],
		["Name,Category,Age,Category\nRex,Dog,1,Large\nMia,Cat,2,Small\nTim,Bird,3,Small\n", {}, /match categoryId/],
		["name,categoryId,category_no\nRex,1,3\nMia,2,3\n", {}, /match categoryId: "categoryId", "category_no"/],
		['{"x":1}', {}, /^missing columns: name, categoryId; the columns are "x"$/],
		["name,categoryId\n", { mapping: { status: "state" } }, /^there is no column "state"/],
		["name,categoryId\n", { mapping: { status: 2 } }, /^there is no column "#3"/],
	];
	for (const [content, options, said] of files)
		await assert.rejects(read(content, options), (error: FileError) => said.test(error.message) && error.line === 1);
});

test("a column is the status only if its values may be, and of several kinds the coarser is the category", async () => {
	const tables: [table: string, pets: unknown[]][] = [
		["Name,Type,State\nRex,7,WA\n", [{ name: "Rex", categoryId: 7n }]],
		[
			"Name,Type,State\nRex,7,\nAnn,7,Sold\n",
			[
				{ name: "Rex", categoryId: 7n },
				{ name: "Ann", categoryId: 7n, status: "sold" },
			],
		],
		["Name,Status,Type\nRex,2026-01-01,7\n", [{ name: "Rex", categoryId: 7n }]],
		["Name,Breed,Species\nRex,8,7\n", [{ name: "Rex", categoryId: 7n }]],
		[
			"Name,Breed,Species\nRex,8,\nAnn,8,-\n",
			[
				{ name: "Rex", categoryId: 8n },
				{ name: "Ann", categoryId: 8n },
			],
		],
		[
			"Name,Art,Type\nRex,1,7\nAnn,2,7\n",
			[
				{ name: "Rex", categoryId: 7n },
				{ name: "Ann", categoryId: 7n },
			],
		],
		['{"name":"Rex","breed":8,"type":7,"state":"WA"}', [{ name: "Rex", categoryId: 7n }]],
		["animalname,breedname,speciesname\nRex,8,7\n", [{ name: "Rex", categoryId: 7n }]],
	];
	for (const [table, expected] of tables) assert.deepEqual((await read(table)).pets, expected, table);
});
