// What commands print for files and command lines, and for variants of them.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { call } from "../support/command.ts";
import { importer } from "../support/importer.ts";
import { outcomesIn } from "../support/outcomes.ts";
import { temporaryFolder } from "../support/service.ts";
import { withStore } from "../support/store-reads.ts";

const assertOutcomes = outcomesIn("commands");

test("a dry run says of each list what is recorded", async (context) => {
	const { service, add } = await importer(context);
	await service.store.categories.apply([{ name: "Dog" }, { name: "Cat" }]);
	const run = async (text: string) => {
		const { code, stdout, stderr } = await add("list", text, "--dry-run");
		return [code, stdout, stderr];
	};
	await assertOutcomes("dry runs", run, 25);
});

/** The output without what is new in each run. */
const steady = (text: string, folder: string) =>
	text
		.replaceAll(folder, "")
		.replaceAll(/127\.0\.0\.1:\d{4,5}/g, "SERVICE")
		.replaceAll(
			/(?<=request id )[\w-]+|\w+@\S+|key_\w{11}|pets_\w{49}|[0-9a-f]{32}|[\w-]{22}|\d{4}-\d\d-\d\d[T ][\d:.]+Z?/g,
			"NEW",
		);

test("commands do what is recorded with each command line", async (context) => {
	const { service, environment } = await importer(context);
	service.clock.nowMs = Date.parse("2026-12-01T00:00:00Z");
	await service.store.categories.apply([{ name: "Dog" }, { name: "Cat" }]);
	const folder = temporaryFolder(context);
	mkdirSync(join(folder, "data"));
	await withStore(`sqlite:${join(folder, "data", "animal-store.db")}`, async (store) => {
		await store.categories.apply([{ name: "Dog" }, { name: "Cat" }]);
		for (const name of ["Rex", "Mia", "Bo"]) await store.createPet({ name, categoryId: 1n, status: "sold" });
	});
	const run = async (text: string) => {
		const { code, stdout, stderr } = await call(text.split(" "), { environment, folder });
		return [code, steady(stdout, folder), steady(stderr, folder)];
	};
	await assertOutcomes("commands", run, 7);
});
