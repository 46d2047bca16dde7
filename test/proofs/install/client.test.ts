// The client's tarball: its size, files and types, for each kind of import.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { build } from "vite";
import { compile } from "../../../client/build.ts";
import { getPetDeprecation } from "../../../src/contract/deprecation.ts";
import { installedClient } from "../../support/installed-client.ts";

const folder = installedClient();
const place = join(folder, "node_modules/@animal-store/client");

/** Input for the compiler: expressions with the types that they must have, and code that the compiler must refuse. */
const uses = `
import { AnimalStore, ApiError, type Call, type ClientOptions, type Int64Mode, type NewPet, type Pet, type PetStatus } from "@animal-store/client";

type Is<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;
type Id<Store> = Store extends AnimalStore<infer Mode> ? Pet<Mode>["id"] : never;
const is = <T extends true>() => {};

export const byDefault = new AnimalStore();
export const withoutMode = new AnimalStore({ url: "http://a.example", key: "k" });
export const bigints = new AnimalStore({ int64: "bigint" });
export const numbers = new AnimalStore({ url: "http://a.example", int64: "number" });
export const strings = new AnimalStore({ int64: "string" });
declare const mode: Int64Mode, options: ClientOptions, bigintOptions: ClientOptions<"bigint">;
export const any = new AnimalStore({ int64: mode });
export const passedOn = new AnimalStore({ ...options, timeoutMs: 1 });
export const passedOnBigints = new AnimalStore({ ...bigintOptions, timeoutMs: 1 });
is<Is<Id<typeof byDefault>, string>>();
is<Is<Id<typeof withoutMode>, string>>();
is<Is<Id<typeof bigints>, bigint>>();
is<Is<Id<typeof numbers>, number>>();
is<Is<Id<typeof strings>, string>>();
is<Is<Id<typeof any>, string | number | bigint>>();
is<Is<Id<typeof passedOn>, string>>();
is<Is<Id<typeof passedOnBigints>, bigint>>();
is<Is<Pet["id"], string>>();
is<Is<Pet<"bigint">["categoryId"], bigint>>();
export const call: Call<Pet<"bigint">> = bigints.createPet({ name: "a", categoryId: "1" });
export const again = (pet: Pet<"bigint">): Promise<Pet<"bigint">> => bigints.createPet(pet);
export const first: Promise<Pet<"number"> | undefined> = numbers.listPets().first();
export const news: NewPet[] = [{ name: "a", categoryId: 1 }, { name: "a", categoryId: 1n }, { name: "a", categoryId: "1" }];
// @ts-expect-error: the type says bigint, so the option is required
new AnimalStore<"bigint">();
// @ts-expect-error: the type says bigint, so the option is required
new AnimalStore<"bigint">({ url: "http://a.example" });
// @ts-expect-error: not a mode
new AnimalStore({ int64: "exact" });
// @ts-expect-error: an unknown option
new AnimalStore({ timeout: 5 });
// @ts-expect-error: its ids have another type
export const mixed: AnimalStore = bigints;
// @ts-expect-error: toArray needs a limit
bigints.listPets().toArray();

export const isAddedLater = (error: ApiError) => error.code === "added_later" || error.code === "invalid_body";
export const all = (store: AnimalStore, status: PetStatus): Promise<Pet[]> => Array.fromAsync(store.listPets({ status }));
// @ts-expect-error: a status that does not exist
export const none = (store: AnimalStore) => store.listPets({ status: "lost" });
// @ts-expect-error: the name is required
export const nameless = (store: AnimalStore) => store.createPet({ categoryId: 1 });
`;

/** Bundles a page that uses the whole client. @returns its code */
async function bundle(input: string): Promise<string> {
	const rolldownOptions = { input, preserveEntrySignatures: "strict" } as const;
	const result = await build({
		configFile: false,
		logLevel: "silent",
		build: { write: false, modulePreload: false, rolldownOptions },
	});
	assert.ok("output" in result && result.output.length === 1);
	return result.output[0].code;
}

test("the package is small, has no dependencies, and its types resolve for every kind of import", async (context) => {
	const bytes = gzipSync(await bundle(join(place, "dist/index.js"))).length;
	context.diagnostic(`${bytes} bytes, bundled, minified and gzipped`);
	assert.ok(bytes > 1000 && bytes <= 5120, `${bytes} bytes`);
	const readme = readFileSync(join(place, "README.md"), "utf8");
	assert.ok(readme.includes(`No dependencies; ${(bytes / 1000).toFixed(1)} KB.`), `${bytes} bytes`);
	const manifest = JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
	assert.equal(manifest.dependencies, undefined);
	assert.deepEqual(readdirSync(place).sort(), ["README.md", "dist", "package.json"]);
	const { messages } = await publint({ pkgDir: place, pack: false, strict: true });
	assert.deepEqual(messages, []);
	const types = await checkPackage(createPackageFromTarballData(readFileSync(join(folder, "client.tgz"))));
	assert.deepEqual(types.types && types.problems, []);
	const deprecated = new RegExp(`@deprecated [^*]*${getPetDeprecation.sunsetDay}[^/]*\\*/\\s+getPet\\(`);
	assert.match(readFileSync(join(place, "dist/index.d.ts"), "utf8"), deprecated);

	const source = join(folder, "use.ts");
	writeFileSync(source, uses);
	const strict = "--ignoreConfig --noEmit --strict --lib esnext,dom --module nodenext --types";
	compile(source, ...strict.split(" "), "");
});
