// The console's files over HTTP: policy and caching. Codings and other paths are in test/contract/corpus/pages.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import { test } from "node:test";
import { testService } from "../support/service.ts";

const folder = new URL("../../dist/console/", import.meta.url);
const types: Record<string, string> = {
	".js": "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml",
};

test("the page needs no key, is revalidated each time, and runs only the service's scripts", async (context) => {
	const { send } = await testService(context);
	for (const path of ["/console", "/console/", "/console?x=1"]) {
		const { status, headers, body } = await send({ path, headers: { Authorization: undefined } });
		assert.equal(status, 200);
		assert.equal(headers["content-type"], "text/html; charset=utf-8");
		assert.equal(headers["cache-control"], "no-cache");
		assert.match(headers["content-security-policy"] ?? "", /^default-src 'none'; script-src 'self'; style-src 'self';/);
		assert.doesNotMatch(headers["content-security-policy"] ?? "", /unsafe/);
		assert.doesNotMatch(body, /<style|style=|<script(?![^>]* src=)/);
		const again = await send({ path, headers: { "If-None-Match": headers["etag"] } });
		assert.deepEqual([again.status, again.body], [304, ""]);
	}
});

test("every file of the console is served, and is immutable if its name has a hash", async (context) => {
	const { send } = await testService(context);
	const names = readdirSync(new URL("assets/", folder));
	assert.ok(names.length >= 3);
	for (const name of names) {
		const kept = readFileSync(new URL(`assets/${name}`, folder), "utf8");
		const path = `/console/assets/${name}`;
		const reply = await send({ path });
		assert.equal(reply.headers["cache-control"], "public, max-age=31536000, immutable");
		assert.equal(reply.headers["content-type"], types[extname(name)], name);
		assert.equal(reply.body, kept);
		assert.equal((await send({ method: "HEAD", path })).status, 200);
	}
});
