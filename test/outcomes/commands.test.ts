// What commands print for files and command lines, and for variants of them.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { call } from "../support/command.ts";
import { importer } from "../support/importer.ts";
import { outcomesIn } from "../support/outcomes.ts";
import { temporaryFolder } from "../support/service.ts";
import { withStore } from "../support/store-reads.ts";
import { workbook } from "../support/workbook.ts";

const assertOutcomes = outcomesIn("commands");

/** The parameters in a command line, as a shell splits it. */
const parametersOf = (line: string) =>
	[...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain = ""]) => quoted ?? plain);

test("a dry run says of each list what is recorded, also with the flags that it proposes", async (context) => {
	const { service, add } = await importer(context);
	await service.store.categories.apply([{ name: "Dog" }, { name: "Cat" }, { name: "Kätzchen" }]);
	const dry = async (content: string | Buffer, flags: string) => {
		const { code, stdout, stderr } = await add("list", content, "--dry-run", ...parametersOf(flags));
		return [code, stdout, stderr] as const;
	};
	/** Runs with these flags, and then with those of the proposed command. */
	const twice = async (content: string | Buffer, flags: string) => {
		const first = await dry(content, flags);
		const [, proposed] = /\nanimal-store import list (.*)\n$/.exec(first[2]) ?? [];
		return proposed === undefined ? first : [...first, ...(await dry(content, proposed))];
	};
	await assertOutcomes("dry runs", (text) => dry(text, ""), 15);
	/** Begins with a line of flags. */
	const withFlags = (text: string) => twice(text.slice(text.indexOf("\n") + 1), text.split("\n", 1)[0] ?? "");
	await assertOutcomes("dry runs with flags", withFlags, 1);
	const ofWorkbook = (text: string) => {
		const [flags, ...sheets] = JSON.parse(text);
		return twice(workbook(...(sheets as Parameters<typeof workbook>)), flags);
	};
	await assertOutcomes("dry runs of workbooks", ofWorkbook, 0);
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
	const run = async (parameters: string[]) => {
		const { code, stdout, stderr } = await call(parameters, { environment, folder });
		return [code, steady(stdout, folder), steady(stderr, folder)];
	};
	await assertOutcomes("commands", (text) => run(text.split(" ")), 5);
	await assertOutcomes("commands without variants", (text) => run(parametersOf(text)), 0);
});
