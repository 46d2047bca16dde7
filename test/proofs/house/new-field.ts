// The declared fields `breed`, a required text, and `chip`, an optional int64, work everywhere. additions.test.ts runs this file in a
// copy of the tree.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { goOn } from "../../console/add-many.ts";
import { signedIn } from "../../console/console.ts";
import { button } from "../../console/page.ts";
import { shows } from "../../console/steps.ts";
import { test } from "../../support/browser.ts";
import { ask } from "../../support/caller.ts";
import { databaseFor } from "../../support/postgres.ts";
import { keyFor, runProgram, runWell, startProgram } from "../../support/program.ts";
import { temporaryFolder } from "../../support/service.ts";

test("new fields round-trip through POST, GET, list, copy, export, import and the console", async (context) => {
	const folder = temporaryFolder(context);
	const path = (name: string) => join(folder, name);
	const database = await databaseFor(context);
	const stores = [`sqlite:${path("a.db")}`, database.url, `sqlite:${path("b.db")}`];
	const [first = "", second = "", third = ""] = stores;
	const key = await keyFor(first);
	const rex = '"name":"Rex","categoryId":1,"status":"available","breed":"collie","chip":9007199254740993}';
	const mia = '"name":"Mia","categoryId":2,"breed":"pug"}';

	async function withService(databaseUrl: string, work: (url: string) => Promise<void>): Promise<void> {
		const service = await startProgram(context, { DATABASE_URL: databaseUrl });
		await work(service.url);
		await service.stop();
	}
	const get = async (url: string) => (await ask(url, { key })).body;

	await withService(first, async (url) => {
		for (const [index, pet] of [rex, mia].entries()) {
			const sent = { key, headers: { "idempotency-key": `${index}` }, body: `{${pet}` };
			const created = await ask(`${url}/v1/pets`, sent);
			assert.equal(created.status, 201);
			assert.equal((await ask(`${url}/v1/pets`, sent)).headers["idempotency-replayed"], "true");
			for (const other of ['"breed":"poodle"', '"chip":9007199254740992']) {
				const body = `{${pet.replace("}", `,${other}}`)}`;
				assert.equal((await ask(`${url}/v1/pets`, { ...sent, body })).status, 422);
			}
		}
		const refused = await ask(`${url}/v1/pets`, { key, body: '{"chip":"1","name":"Mia","categoryId":2}' });
		assert.match(refused.body, /breed is required and .*; chip must be the number of its chip/);
	});
	await runWell(["copy", "--from", first, "--to", second]);
	await runWell(["copy", "--from", second, "--to", third]);
	for (const store of stores)
		await withService(store, async (url) => {
			assert.equal(await get(`${url}/v1/pets`), `[{"id":1,${rex},{"id":2,${mia}]`);
			assert.equal(await get(`${url}/v1/pets/1`), `{"id":1,${rex}`);
		});
	writeFileSync(path("more.csv"), "name,categoryId,status,breed,chip\nBo,1,,terrier,-7\nTia,1,,,\nUma,1,,pug,x\n");
	await withService(third, async (url) => {
		const environment = { ANIMAL_STORE_URL: url, ANIMAL_STORE_KEY: key };
		for (const format of ["csv", "ndjson", "json"]) {
			const file = path(`animals.${format}`);
			await runWell(["export", file], { environment });
			assert.match(readFileSync(file, "utf8"), /collie.*9007199254740993/);
		}
		for (const name of ["animals.csv", "animals.ndjson", "animals.json", "more.csv"]) {
			const imported = await runProgram(["import", path(name), "--add-existing"], { environment });
			assert.equal(imported.code, name === "more.csv" ? 2 : 0, imported.stderr);
		}
		const rejected = readFileSync(path("more.csv.rejected.csv"), "utf8");
		assert.match(rejected, /^3,.*breed .*\n4,.*chip must be .*,Uma,1,,pug,x$/m);
		const pets = `${url}/v1/pets`;
		const four = [1, 3, 5, 7].map((id) => `{"id":${id},${rex},{"id":${id + 1},${mia}`);
		const more = '{"id":9,"name":"Bo","categoryId":1,"breed":"terrier","chip":-7}';
		assert.equal(await get(pets), `[${four},${more}]`);
		const create = ["pets", "create", "--name", "Tom", "--category-id", "3", "--breed", "pug", "--chip", "-8"];
		assert.match(await runWell(create, { environment }), / pug +-8 +3 +Tom\n$/, "the name comes last");

		const { page } = await signedIn(context, { url, key }, { hash: "#/add-many" });
		const rows = "name,categoryId,breed,chip\nKim,1,pug,x\nLou,1,lab,\n";
		const file = { name: "a.csv", mimeType: "text/csv", buffer: Buffer.from(rows) };
		await page.getByLabel("File of animals").setInputFiles(file);
		await goOn(page, "Check");
		await page.getByLabel(/^Chip in row \d: /).fill("9223372036854775807");
		await button(page, "Add 2 animals").click();
		await shows(page, "2 of 2 animals added");
		const last = (await get(`${pets}?limit=100`)).replace(/.*(?=\{.*\{)/, "").replace(/"id":\d+,/g, "");
		const lou = '{"name":"Lou","categoryId":1,"breed":"lab"}';
		assert.equal(last, `{"name":"Kim","categoryId":1,"breed":"pug","chip":9223372036854775807},${lou}]`);
		await page.getByRole("link", { name: "Animals", exact: true }).click();
		await page.getByRole("cell", { name: "9223372036854775807" }).first().waitFor();
		await button(page, "Add animal").click();
		await page.getByLabel("Name", { exact: true }).fill("Ned");
		await page.getByLabel("Category", { exact: true }).fill("4");
		await page.getByLabel("Chip", { exact: true }).fill("9007199254740993");
		await button(page, "Add").click();
		await shows(page, /breed/i);
		await page.getByLabel("Breed", { exact: true }).fill("pug");
		await button(page, "Add").click();
		await shows(page, /Ready for the next one/);
		const ned = /"name":"Ned","categoryId":4,"breed":"pug","chip":9007199254740993\}\]$/;
		assert.match(await get(`${pets}?limit=100`), ned);
		await page.close();
	});
});
