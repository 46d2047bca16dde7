// The client of @hey-api/openapi-ts, with the steps and the output that all generated clients share.

import { client } from "./client.gen.ts";
import { createPet, getPet, listPets } from "./sdk.gen.ts";

const { ANIMAL_STORE_URL: baseUrl = "", ANIMAL_STORE_KEY: auth = "" } = process.env;
client.setConfig({ baseUrl, auth });

const list = await listPets();
console.log(`list ${list.data?.length}`);
const sold = await listPets({ query: { status: "sold" } });
console.log(`filter ${sold.data?.length}`);

let count = 0;
let cursor: string | undefined;
do {
	const { data = [], response } = await listPets({ query: { limit: 2, ...(cursor === undefined ? {} : { cursor }) } });
	count += data.length;
	cursor = /[?&]cursor=([^>&]+)[^>]*>; rel="next"/.exec(response?.headers.get("Link") ?? "")?.[1];
} while (cursor);
console.log(`page ${count}`);

// A number literal with so many digits would be rounded before it is sent.
const created = await createPet({
	headers: { "Idempotency-Key": crypto.randomUUID() },
	body: { name: "Rex", categoryId: Number("9007199254740993"), status: "available" },
});
console.log(`create ${created.data?.categoryId}`);
const got = await getPet({ path: { petId: created.data?.id ?? 0 } });
console.log(`get ${got.data?.categoryId}`);

const refused = [
	await listPets({ query: { cursor: "garbage" } }),
	await listPets({ auth: "unknown" }),
	await getPet({ path: { petId: 999 } }),
];
for (const { error } of refused) console.log(`${error?.status} ${error?.code}`);
