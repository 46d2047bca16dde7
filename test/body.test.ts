// The body of createPet: a NewPet in JSON is stored exactly. The corpus (test/corpus/json, framing) has each refusal of another body.

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFailure, create, testService } from "./service.ts";

test("a body with more than 64 levels is invalid_json regardless of its content, and one with 64 is accepted", async (context) => {
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
	assert.equal((await send(create(wide))).status, 201, "many brackets beside each other");
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

test("int64 is exact in every notation, in the request and in every reply", async (context) => {
	const { send } = await testService(context);
	const rows: Record<string, string> = {
		"0": "0",
		"-0": "0",
		"1.0": "1",
		"1e3": "1000",
		"1E+3": "1000",
		"12.5e1": "125",
		"100e-2": "1",
		"9007199254740993": "9007199254740993",
		"-9007199254740993": "-9007199254740993",
		"9223372036854775807": "9223372036854775807",
		"-9223372036854775808": "-9223372036854775808",
		"9.223372036854775807e18": "9223372036854775807",
		"1e18": "1000000000000000000",
		"0e999999999": "0",
		"9007199254740993.0": "9007199254740993",
		"0.0000000000000000000e5": "0",
	};
	for (const [sent, exact] of Object.entries(rows)) {
		const created = await send(create(`{"name":"a","categoryId":${sent}}`));
		assert.equal(created.status, 201, sent);
		const [, id] = /^\{"id":(\d+),"name":"a","categoryId":(-?\d+)\}$/.exec(created.body) ?? [];
		assert.equal(created.body, `{"id":${id},"name":"a","categoryId":${exact}}`, sent);
		assert.equal((await send({ path: `/v1/pets/${id}` })).body, created.body);
	}
	const listed = (await send({ path: "/v1/pets?limit=100" })).body;
	assert.deepEqual(listed.match(/(?<="categoryId":)-?\d+/g), Object.values(rows));
});

test("a name is stored and returned unchanged", async (context) => {
	const { send } = await testService(context);
	const names = [
		"a",
		" padded ",
		"x".repeat(255),
		"😀".repeat(255),
		"é e\u0301",
		"שלום \u202eRTL",
		"<script>alert(1)</script>",
		"'); DROP TABLE pets;--",
		'"quoted" \\ back/slash',
		"\u2028a\u2029",
		"\u0080\u009f",
		"\ufeffx",
		"\uffff\u{10ffff}",
	];
	for (const name of names) {
		const created = await send(create({ name, categoryId: 1 }));
		assert.equal(created.status, 201, name);
		const { id, name: returned } = JSON.parse(created.body);
		assert.equal(returned, name);
		assert.equal(JSON.parse((await send({ path: `/v1/pets/${id}` })).body).name, name);
	}
	const escaped = await send(create('{"\\u006eame":"\\u0041\\ud83d\\ude00","categoryId":1}'));
	assert.equal(JSON.parse(escaped.body).name, "A😀");
});

test("an absent status stays absent, and unknown fields are ignored", async (context) => {
	const { send } = await testService(context);
	const plain = await send(
		create(
			'{"id":77,"name":"a","categoryId":1,"isAdmin":true,"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
		),
	);
	assert.equal(plain.body, '{"id":1,"name":"a","categoryId":1}');
	assert.equal(Reflect.get({}, "polluted"), undefined);
	for (const [index, status] of ["available", "pending", "sold"].entries()) {
		const body = `{"id":${index + 2},"name":"a","categoryId":1,"status":"${status}"}`;
		assert.equal((await send(create({ name: "a", categoryId: 1, status }))).body, body);
		assert.equal((await send({ path: `/v1/pets/${index + 2}` })).body, body);
	}
	assert.equal((await send({ path: "/v1/pets/1" })).body, plain.body);
});
