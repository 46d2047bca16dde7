// An animal as text to copy: exact JSON, and the request that gets it.

import type { NewPet, Pet } from "../../src/contract/pet.ts";

/** JSON of an animal, as the service sends it, over several lines. */
export function jsonOf({ id, name, categoryId, status }: Pet): string {
	const fields = [`"id": ${id}`, `"name": ${JSON.stringify(name)}`, `"categoryId": ${categoryId}`];
	if (status !== undefined) fields.push(`"status": ${JSON.stringify(status)}`);
	return `{\n  ${fields.join(",\n  ")}\n}`;
}

/** A command line that gets the page of the list with this animal. @param query of the list, without `?` */
export function curlOf(origin: string, query: string): string {
	return `curl '${origin}/v1/pets${query && `?${query}`}' \\\n  -H "Authorization: Bearer $ANIMAL_STORE_KEY"`;
}

/** A command line that adds an animal with these fields. */
export function createCurlOf(origin: string, { name, categoryId, status }: NewPet): string {
	const fields = [`"name":${JSON.stringify(name)}`, `"categoryId":${categoryId}`];
	if (status !== undefined) fields.push(`"status":${JSON.stringify(status)}`);
	const body = `{${fields.join()}}`.replaceAll("'", `'\\''`);
	return [
		`curl -X POST '${origin}/v1/pets' \\`,
		'  -H "Authorization: Bearer $ANIMAL_STORE_KEY" \\',
		'  -H "Content-Type: application/json" \\',
		`  -d '${body}'`,
	].join("\n");
}
