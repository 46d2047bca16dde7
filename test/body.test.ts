// The body of createPet: a NewPet in JSON is stored exactly; any other body is rejected with its fault and stores nothing.

import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { assertFailure, create, testService } from "./service.ts";

test("a body that is not one JSON value in UTF-8 is invalid_json", async (context) => {
	const { send } = await testService(context);
	const pet = '{"name":"a","categoryId":1}';
	const texts = [
		"",
		"  \n",
		pet.slice(0, -1),
		`${pet.slice(0, -1)},}`,
		`${pet}x`,
		`${pet}${pet}`,
		`/* */${pet}`,
		pet.replaceAll('"', "'"),
		"NaN",
		"Infinity",
		"undefined",
		'{"name":"a","categoryId":020}',
		'{"name":"a","categoryId":+1}',
		'{"name":"a","categoryId":.5}',
		'{"name":"a\u0001","categoryId":1}',
		`\uFEFF${pet}`,
		"[".repeat(60_000),
		'{"a":'.repeat(10_000),
		`${"[".repeat(30_000)}1e5${"]".repeat(30_000)}x`,
	];
	const bytes = [
		Buffer.from(pet, "utf16le"),
		Buffer.from('{"name":"\xff","categoryId":1}', "latin1"),
		Buffer.from([0xc0, 0x80]),
		Buffer.from('{"name":"\xed\xa0\x80","categoryId":1}', "latin1"),
	];
	for (const body of [...texts, ...bytes]) {
		const reply = await send({ method: "POST", path: "/v1/pets", body });
		assertFailure(reply, "invalid_json");
		const isText = typeof body === "string";
		assert.equal(reply.body.includes("it is not valid UTF-8"), !isText && body !== bytes[0], String(body).slice(0, 40));
	}
	assert.equal((await send({ path: "/v1/pets" })).body, "[]", "nothing was stored");
});

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

test("a body that is not a NewPet is invalid_body, and the message names every broken field", async (context) => {
	const { send } = await testService(context);
	const wrongIds = [
		"null",
		'"1"',
		"true",
		"[]",
		"{}",
		"1.5",
		"9223372036854775808",
		"-9223372036854775809",
		"1e19",
		"1e400",
		"-1e400",
		"1e999999999",
		"1e-1",
		"9007199254740993.5",
		"1.00000000000000000001",
		"0.1e0",
	];
	const wrongNames = [
		"null",
		"5",
		"{}",
		'""',
		'"   "',
		'"\\u00a0\\u2003\\u0085"',
		'"a\\u0000b"',
		'"a\\nb"',
		'"\\u007f"',
		'"\\ud800"',
		'"\\udc00\\ud800"',
		JSON.stringify("x".repeat(256)),
		JSON.stringify("😀".repeat(256)),
	];
	const wrongStatuses = ["null", '""', '"SOLD"', '"gone"', "1", "[]"];
	const rows: [body: string, named: RegExp][] = [
		...["null", "[]", '"x"', "1", "true", `[{"name":"a","categoryId":1}]`, `${"[".repeat(64)}${"]".repeat(64)}`].map(
			(body): [string, RegExp] => [body, /^the body must be a JSON object/],
		),
		["{}", /^name is required .*; categoryId is required/],
		['{"__proto__":{"name":"a","categoryId":1}}', /name is required/],
		['{"name":"","categoryId":"1","status":null}', /^name must be .*; categoryId must be .*; status must be/],
		...wrongIds.map((id): [string, RegExp] => [
			`{"name":"a","categoryId":${id}}`,
			/^categoryId must be an integer from -9223372036854775808 to 9223372036854775807$/,
		]),
		...wrongNames.map((name): [string, RegExp] => [
			`{"name":${name},"categoryId":1}`,
			/^name must be a string of 1 to 255/,
		]),
		...wrongStatuses.map((status): [string, RegExp] => [
			`{"name":"a","categoryId":1,"status":${status}}`,
			/^status must be one of/,
		]),
	];
	for (const [body, named] of rows) {
		const reply = await send(create(body));
		assertFailure(reply, "invalid_body");
		assert.match(JSON.parse(reply.body).message, named, body.slice(0, 80));
	}
	assert.equal((await send({ path: "/v1/pets" })).body, "[]", "nothing was stored");
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

test("only uncompressed JSON in UTF-8 is accepted, and the type is checked before the body is read", async (context) => {
	const { send } = await testService(context);
	const body = '{"name":"a","categoryId":1}';
	for (const type of [
		undefined,
		"",
		"text/plain",
		"application/x-www-form-urlencoded",
		"multipart/form-data; boundary=x",
		"application/jsonx",
		"application/json; charset=utf-16",
		"application/json; charset=latin1",
		"application/json; charset=utf-8; charset=latin1",
		"application/json charset=utf-8",
		"application/json; charset",
		`application/json;${" ".repeat(10_000)}x`,
		"application/json, text/plain",
		"text/json",
		"application/merge-patch+json",
	]) {
		const reply = await send({ ...create(body), headers: { "Content-Type": type } });
		assertFailure(reply, "unsupported_media_type");
		assert.equal(reply.headers["accept"], "application/json");
		assert.equal(reply.headers["accept-encoding"], undefined);
	}
	for (const encoding of ["gzip", "deflate", "br", "GZIP", "identity, gzip"]) {
		const headers = { "Content-Encoding": encoding };
		const reply = await send({ method: "POST", path: "/v1/pets", body: gzipSync(body), headers });
		assertFailure(reply, "unsupported_media_type");
		assert.equal(reply.headers["accept-encoding"], "identity");
	}
	const bomb = gzipSync(Buffer.alloc(50_000_000));
	assertFailure(
		await send({
			method: "POST",
			path: "/v1/pets",
			body: bomb.subarray(0, 60_000),
			headers: { "Content-Encoding": "gzip" },
		}),
		"unsupported_media_type",
	);
	assert.equal((await send({ path: "/v1/pets" })).body, "[]", "nothing was stored");
	for (const type of [
		"application/json",
		"APPLICATION/JSON",
		"application/json; charset=UTF-8",
		'application/json;charset="utf-8"',
		"application/json ; charset=utf-8",
		"application/json;",
		"application/json; ;",
		"application/json;charset=utf8",
		'application/json;charset="UTF8";',
	]) {
		assert.equal((await send({ ...create(body), headers: { "Content-Type": type } })).status, 201, type);
	}
	assert.equal(
		(await send({ ...create(body), headers: { Accept: "text/html" } })).status,
		201,
		"Accept is not consulted",
	);
});

test("a body of exactly 64 KiB is accepted", async (context) => {
	const { send } = await testService(context);
	const body = '{"name":"a","categoryId":1}'.padEnd(64 * 1024);
	assert.equal((await send(create(body))).status, 201);
	assertFailure(await send(create(`${body} `)), "body_too_large");
});
