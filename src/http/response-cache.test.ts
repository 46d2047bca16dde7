import assert from "node:assert/strict";
import { test } from "node:test";
import { acceptsGzip } from "./content.ts";
import { type CachedReply, createCacheEntries } from "./response-cache.ts";

const reply: CachedReply = {
	json: "x".repeat(1000),
	version: { timeline: "", lastEdit: 0n, lastId: 0n },
	tag: "",
	isSettled: true,
};

test("when more replies are added than fit, the latest is cached, and no more are cached than fit", () => {
	const cache = createCacheEntries(10 * 3600);
	const keys = Array.from({ length: 40 }, (_, index) => `page ${index}`);
	for (const key of keys) {
		for (let version = 0; version < 20; version++) cache.add(key, reply);
		assert.ok(cache.find(key), "a reply that replaces another frees the other's space");
		const found = keys.filter((other) => cache.find(other));
		assert.ok(found.length <= 10, `${found.length} are cached`);
	}
	assert.equal(cache.find("page 8"), undefined);
	assert.ok(keys.slice(-5).filter(cache.find).length > 1);
});

test("gzip is sent to who accepts it: by its name, or as any coding that is not named", () => {
	const accepted = ["gzip", "br, X-GZIP;q=0.5", "*", "gzip;q=1, *;q=0", "*;q=0, gzip"];
	const refused = [undefined, "", "br", "gzip;q=0", "gzip;q=0, *", "*, gzip;q=0.0", "*;q=0", "identity"];
	for (const text of accepted) assert.equal(acceptsGzip({ "accept-encoding": text }), true, text);
	for (const text of refused)
		assert.equal(acceptsGzip(text === undefined ? {} : { "accept-encoding": text }), false, text);
});
