// openapi-fetch with types from openapi-typescript. The steps and the output are the same for all generated clients.

import createClient from "openapi-fetch";
import type { paths } from "./schema.ts";

const { ANIMAL_STORE_URL: baseUrl = "", ANIMAL_STORE_KEY: key = "" } = process.env;
const clientOf = (token: string) => createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });
const client = clientOf(key);

const list = await client.GET("/pets");
console.log(`list ${list.data?.length}`);
const sold = await client.GET("/pets", { params: { query: { status: "sold" } } });
console.log(`filter ${sold.data?.length}`);

let count = 0;
let cursor: string | undefined;
do {
	const query = { limit: 2, ...(cursor === undefined ? {} : { cursor }) };
	const { data = [], response } = await client.GET("/pets", { params: { query } });
	count += data.length;
	cursor = /[?&]cursor=([^>&]+)[^>]*>; rel="next"/.exec(response.headers.get("Link") ?? "")?.[1];
} while (cursor);
console.log(`page ${count}`);

// JavaScript rounds a number literal with this many digits before it is sent.
const created = await client.POST("/pets", {
	params: { header: { "Idempotency-Key": crypto.randomUUID() } },
	body: { name: "Rex", categoryId: Number("9007199254740993"), status: "available" },
});
console.log(`create ${created.data?.categoryId}`);
const got = await client.GET("/pets/{petId}", { params: { path: { petId: created.data?.id ?? 0 } } });
console.log(`get ${got.data?.categoryId}`);

const refused = [
	await client.GET("/pets", { params: { query: { cursor: "garbage" } } }),
	await clientOf("unknown").GET("/pets"),
	await client.GET("/pets/{petId}", { params: { path: { petId: 999 } } }),
];
for (const { error } of refused) console.log(`${error?.status} ${error?.code}`);
