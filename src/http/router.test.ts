import assert from "node:assert/strict";
import { test } from "node:test";
import { createRouter } from "./router.ts";

test("a path that the router cannot serve is an error when it is added, so the service does not start", () => {
	const router = createRouter();
	const add = (path: string) => router.add(path, { GET: { access: "open", handler: async () => {} } });
	for (const path of ["/v1/pets", "/v1/pets/:petId", "/v1/owners/:ownerId"]) add(path);
	for (const path of ["/v1/pets", "/v1/pets/:other", "/v1/pets/:petId/photos", "/v1/:kind/:id"])
		assert.throws(() => add(path), { message: new RegExp(`^${path} cannot be served`) });
});
