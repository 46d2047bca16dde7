// The options of the client: the constructor refuses a missing or wrong option, with a message that names the fix.

import assert from "node:assert/strict";
import { test } from "node:test";
import { AnimalStore, type ClientOptions } from "../../client/src/index.ts";
import { answered, rex } from "./fake-fetch.ts";

const url = "http://a.example";
const key = "pets_secret";

async function addressOf(options: ClientOptions): Promise<string> {
	const { store, attempts } = answered([new Response("[]")], { url: undefined, key: undefined, ...options });
	await store.listPage({ limit: 1 });
	return `${attempts[0]?.url} ${attempts[0]?.headers.get("authorization")}`;
}

test("a missing url or key is refused with the option and the variable that set it", (context) => {
	context.mock.property(process, "env", { ANIMAL_STORE_KEY: "" });
	const missing: [ClientOptions, RegExp][] = [
		[{ key }, /^url is missing: pass url: "http:\/\/127\.0\.0\.1:8080", or set ANIMAL_STORE_URL$/],
		[{ url: "", key }, /^url is missing/],
		[{ url }, /^key is missing: pass key: "pets_…", or set ANIMAL_STORE_KEY$/],
		[{ url, key: "" }, /^key is missing/],
	];
	for (const [options, message] of missing)
		assert.throws(() => new AnimalStore(options), { name: "TypeError", message });
	assert.throws(() => new AnimalStore(), /^TypeError: url is missing/);
});

test("url and key come from the environment if they are not given", async (context) => {
	context.mock.property(process, "env", { ANIMAL_STORE_URL: "http://b.example:8080/", ANIMAL_STORE_KEY: "pets_env" });
	assert.equal(await addressOf({}), "http://b.example:8080/v1/pets?limit=1 Bearer pets_env");
	assert.equal(await addressOf({ url, key: undefined }), "http://a.example/v1/pets?limit=1 Bearer pets_env");
	assert.equal(await addressOf({ url, key }), "http://a.example/v1/pets?limit=1 Bearer pets_secret");
	assert.throws(() => new AnimalStore({ url: "", key }), /url is missing/, "an empty url is a mistake, not a default");
});

test("without a process, or permission to read the environment, options are required and work", async (context) => {
	const { process } = globalThis;
	const denied = {
		get env(): never {
			throw new Error("NotCapable: Requires env access");
		},
	};
	context.after(() => Object.assign(globalThis, { process }));
	for (const replacement of [undefined, {}, denied]) {
		Object.assign(globalThis, { process: replacement });
		const address = await addressOf({ url, key });
		const message = await addressOf({ url }).catch(String);
		Object.assign(globalThis, { process });
		assert.equal(address, "http://a.example/v1/pets?limit=1 Bearer pets_secret");
		assert.match(message, /key is missing/);
	}
});

test("an address keeps its path, and ends with /v1 once", async () => {
	for (const [given, expected] of [
		["https://a.example", "https://a.example/v1"],
		["https://a.example/v1/", "https://a.example/v1"],
		["HTTP://A.example:80/animals//", "http://a.example/animals/v1"],
		[new URL("https://a.example:8443/v1"), "https://a.example:8443/v1"],
	] as const)
		assert.equal(await addressOf({ url: given, key }), `${expected}/pets?limit=1 Bearer pets_secret`);
});

test("wrong values and unknown names are refused with the rule, without key and password", () => {
	const milliseconds = /^timeoutMs must be milliseconds from 1 to 2147483647, not "/;
	const aKey = /^key must be an API key such as pets_…, without spaces and line breaks$/;
	const address = /^url must be http:\/\/ or https:\/\/ with a host, without user name, query and fragment, not "/;
	const authorities = ["a.example:99999", "a.example/?x=1", "a.example/#x", "me:pa55@a.example"];
	const wrong: [option: string, message: RegExp, ...values: unknown[]][] = [
		["url", address, "localhost:8080", "ftp://a.example", ...authorities.map((text) => `http://${text}`)],
		["key", aKey, "Bearer pets_secret", "pets_secrét", 7],
		["int64", /^int64 must be "string", "bigint" or "number", not "exact"$/, "exact"],
		["timeoutMs", milliseconds, 0, "5", Number.NaN, 2 ** 31],
		["retryForMs", /^retryForMs must be milliseconds from 0, not "/, -1, Number.NaN],
		["maxRetries", /^maxRetries must be an integer from 0, not "/, -1, 1.5, "3"],
		["onRetry", /^onRetry must be a function, not "true"$/, true],
		["beforeRequest", /^beforeRequest must be a function/, []],
		["afterResponse", /^afterResponse must be a function/, {}],
		["fetch", /^fetch must be a function/, "fetch"],
		["timeout", /^unknown option timeout: the options are url, key, int64, timeoutMs, .*, fetch$/, 5],
		["apiKey", /^unknown option apiKey: /, "pets_secret"],
		["signal", /^unknown option signal: /, AbortSignal.abort()],
	];
	for (const [option, message, ...values] of wrong)
		for (const value of values)
			assert.throws(
				() => new AnimalStore({ url, key, [option]: value }),
				(error) => error instanceof TypeError && message.test(error.message) && !/secr|pa55/.test(error.message),
				`${option} ${String(value)}`,
			);
});

test("every option can be undefined, and limits of numbers are allowed", async () => {
	const names = ["url", "key", "int64", "timeoutMs", "retryForMs", "maxRetries", "onRetry", "beforeRequest", "fetch"];
	const absent = Object.fromEntries(names.map((name) => [name, undefined]));
	const most = { timeoutMs: 2 ** 31 - 1, retryForMs: Infinity, maxRetries: Infinity };
	for (const options of [absent, most, { timeoutMs: 1000, retryForMs: 0, maxRetries: 0 }])
		assert.match(await addressOf({ ...options, url, key }), /a\.example/);
});

test("options of a call are checked, too, before anything is sent", async () => {
	const { store, attempts } = answered([new Response("{}")]);
	const unknown = /^unknown option timeout: the options are timeoutMs, retryForMs, maxRetries, signal, idempotencyKey$/;
	const wrong: [options: object, message: RegExp][] = [
		[{ timeout: 5 }, unknown],
		[{ timeoutMs: 0 }, /^timeoutMs must be/],
		[{ maxRetries: -1 }, /^maxRetries must be/],
		[{ signal: new AbortController() }, /^signal must be an AbortSignal/],
		[{ idempotencyKey: "" }, /^idempotencyKey must be 1 to 255 visible ASCII characters, not ""$/],
		[{ idempotencyKey: "two words" }, /^idempotencyKey must be/],
		[{ idempotencyKey: "x".repeat(256) }, /^idempotencyKey must be/],
	];
	for (const [options, message] of wrong) {
		await assert.rejects(store.createPet(rex, options), { name: "TypeError", message });
		await assert.rejects(store.listPets({}, options).first(), { name: "TypeError", message });
	}
	assert.equal(attempts.length, 0);
	await store.createPet(rex, { idempotencyKey: "x".repeat(255), signal: undefined });
	assert.equal(attempts.length, 1);
});
