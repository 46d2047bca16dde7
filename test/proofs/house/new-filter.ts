// A declared filter by `categoryId` works everywhere. additions.test.ts runs this in a copy of the tree.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { signedIn } from "../../console/console.ts";
import { button } from "../../console/page.ts";
import { test } from "../../support/browser.ts";
import { ask, linkOf } from "../../support/caller.ts";
import { listAll } from "../../support/ledger.ts";
import { databaseFor } from "../../support/postgres.ts";
import { keyFor, runWell, startProgram } from "../../support/program.ts";
import { temporaryFolder } from "../../support/service.ts";

const large = "9007199254740993";

test("a new filter works alone and with others: pages, links, commands, searches, exports", async (context) => {
	const database = await databaseFor(context);
	for (const store of [`sqlite:${join(temporaryFolder(context), "a.db")}`, database.url]) {
		const key = await keyFor(store);
		const service = await startProgram(context, { DATABASE_URL: store });
		const pets = `${service.url}/v1/pets`;
		for (const [name, categoryId, status] of [
			["Rex", 1, "sold"],
			["Mia", 2, "sold"],
			["Bo", 2, "available"],
			["Max", 2, "sold"],
			["Kim", large, "sold"],
		]) {
			const body = `{"name":"${name}","categoryId":${categoryId},"status":"${status}","breed":"pug"}`;
			assert.equal((await ask(pets, { key, body })).status, 201);
		}

		const walk = async (query: string) => (await listAll(service.url, key, `limit=1&${query}`)).map(({ name }) => name);
		assert.deepEqual(await walk("categoryId=2"), ["Mia", "Bo", "Max"]);
		assert.deepEqual(await walk("categoryId=2&status=sold"), ["Mia", "Max"]);
		const first = await ask(`${pets}?limit=1&categoryId=2`, { key });
		const next = new URL(linkOf(first) ?? "", service.url);
		for (const categoryId of [undefined, "1"]) {
			next.searchParams.delete("categoryId");
			if (categoryId) next.searchParams.set("categoryId", categoryId);
			assert.equal((await ask(next, { key })).status, 400, "a cursor of another filter is refused");
		}
		assert.equal((await ask(`${pets}?categoryId=x`, { key })).status, 400);
		const environment = { ANIMAL_STORE_URL: service.url, ANIMAL_STORE_KEY: key };
		const listed = await runWell(["pets", "list", "--category-id", "1"], { environment });
		assert.match(listed, /name\n 1 {2}sold\b.* 1 +Rex\n$/);

		const found = await ask(`${service.url}/console/find?name=m&categoryId=${large}`, { key });
		const kim = `{"id":5,"name":"Kim","categoryId":${large},"status":"sold","breed":"pug"}`;
		assert.ok(found.body.startsWith(`{"pets":[${kim}],`), found.body);
		const { page } = await signedIn(context, { url: service.url, key }, { hash: `#/animals?categoryId=${large}` });
		for (const filter of ["", "&status=sold", "&name=k"]) {
			await page.goto(`${service.url}/console#/animals?categoryId=${large}${filter}`);
			await page.getByRole("rowheader", { name: "Kim" }).waitFor();
			assert.equal(await page.getByRole("rowheader").count(), 1);
		}
		await button(page, "Export").click();
		const exported = page.waitForEvent("download");
		await button(page, "CSV").click();
		const file = await readFile(await (await exported).path(), "utf8");
		assert.match(file, /^\ufeffid,.*\n5,Kim,9007199254740993,sold,pug,\n$/);
		await page.close();
		const order = (body: string) => ask(`${service.url}/console/exports`, { key, body });
		assert.equal((await order(`{"format":"csv","categoryId":${large}}`)).status, 200, "a number works, too");
		assert.equal((await order('{"format":"csv","categoryId":"x"}')).status, 400);
		await service.stop();
	}
});
