// Bodies of createPet that are not valid JSON. Every other body is in test/contract/corpus/json and framing;
// properties.test.ts sends arbitrary ones.

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFailure, create, testService } from "../support/service.ts";

test("a body of more than 64 levels is invalid_json whatever its content; 64 are accepted", async (context) => {
	const { send } = await testService(context);
	const nested = (levels: number, inside: string) =>
		`{"name":"a","categoryId":1,"x":${"[".repeat(levels - 1)}${inside}${"]".repeat(levels - 1)}}`;
	const insides = ["", "1", "1e1", "9007199254740993", '"[[[["', '"\\"[["'];
	for (const inside of insides) {
		assert.equal((await send(create(nested(64, inside)))).status, 201, inside);
		const reply = await send(create(nested(65, inside)));
		assertFailure(reply, "invalid_json");
		assert.match(reply.body, /more than 64 levels/, inside);
	}
	const twice = `{"x":${"[".repeat(64)}${"]".repeat(64)},"x":1,"name":"a","categoryId":1}`;
	assertFailure(await send(create(twice)), "invalid_json");
	for (const levels of [3_000, 30_000])
		assertFailure(await send(create(`${"[".repeat(levels)}${"]".repeat(levels)}`)), "invalid_json");
	const wide = `{"name":"a","categoryId":1,"x":[${"[],{},".repeat(1000)}"[[["]}`;
	assert.equal((await send(create(wide))).status, 201, "many brackets on one level");
});

test("the message of invalid_json contains nothing of the body", async (context) => {
	const { send } = await testService(context);
	const secret = "verysecret";
	const texts = [
		secret,
		`{"a":${secret}}`,
		`{"${secret}`,
		`{${secret}:1}`,
		`[1,2,${secret}]`,
		`"a\u0001 ${secret}"`,
		`{"a":"\\q ${secret}"}`,
		`"${secret}" ${secret}`,
		`{"a":1}\n${secret}`,
		`${"x".repeat(40)}${secret}${"x".repeat(40)}`,
		`{"a": "${secret}", 'b'}`,
	];
	for (const text of texts) {
		const reply = await send(create(text));
		assertFailure(reply, "invalid_json");
		assert.doesNotMatch(reply.body, /secret|…|\.\.\./, text);
	}
});
