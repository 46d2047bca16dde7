// Property-based tests with arbitrary input. fast-check prints the seed and the smallest failing example.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { petStatuses } from "../../src/contract/pet.ts";
import { seed } from "../support/random.ts";
import { assertFailure, testService } from "../support/service.ts";

fc.configureGlobal({ seed });
const numRuns = 300;

/** The rule for names, written independently of the schema's pattern, so that the tests check the pattern. */
function isName(text: string): boolean {
	const points = Array.from(text);
	const isAllowed = points.every((point) => {
		const code = point.codePointAt(0) ?? 0;
		return code > 0x1f && code !== 0x7f && !(code >= 0xd800 && code <= 0xdfff);
	});
	const hasText = points.some((point) => !/^\p{White_Space}$/u.test(point));
	return isAllowed && hasText && points.length <= 255;
}

const unit = fc.constantFrom(" ", "\u00a0", "\u2003", "\n", "a", "\ud800", "\udc00", "😀", "\u0000", "\u007f");
const anyText = fc.oneof(fc.string({ unit: "binary", maxLength: 300 }), fc.string({ unit, maxLength: 6 }));

/** The exact value of a JSON number, or undefined if it is not an integer. */
function exactInteger(spelling: string): bigint | undefined {
	const [, sign, whole = "", fraction = "", exponent = "0"] =
		/^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(spelling) ?? [];
	const scale = Number(exponent) - fraction.length;
	const digits = BigInt(`${sign}${whole}${fraction}`);
	if (scale >= 0) return digits * 10n ** BigInt(scale);
	const divisor = 10n ** BigInt(-scale);
	return digits % divisor === 0n ? digits / divisor : undefined;
}

/** A JSON number as it was spelled, from which its exact value can be computed. */
class Spelled extends String {}

/**
 * Reads a body by the rules of the interface document, without any code of the service.
 * @returns the animal as it is listed, without its id, or the code of the error
 */
function readAsNewPet(bytes: Uint8Array): string | "invalid_json" | "invalid_body" {
	let value: unknown;
	try {
		const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
		const asSpelled = (_name: string, part: unknown, { source }: { source: string }) =>
			typeof part === "number" ? new Spelled(source) : part;
		value = JSON.parse(text, asSpelled as (name: string, part: unknown) => unknown);
	} catch {
		return "invalid_json";
	}
	if (typeof value !== "object" || value === null || Array.isArray(value) || value instanceof Spelled)
		return "invalid_body";
	const fields = new Map(Object.entries(value));
	const [name, categoryId, status] = [fields.get("name"), fields.get("categoryId"), fields.get("status")];
	const exact = categoryId instanceof Spelled ? exactInteger(`${categoryId}`) : undefined;
	if (typeof name !== "string" || !isName(name)) return "invalid_body";
	if (exact === undefined || exact < -(2n ** 63n) || exact >= 2n ** 63n) return "invalid_body";
	if (fields.has("status") && !["available", "pending", "sold"].includes(status)) return "invalid_body";
	return `"name":${JSON.stringify(name)},"categoryId":${exact}${fields.has("status") ? `,"status":"${status}"` : ""}`;
}

/** Bodies that are a NewPet, or nearly: a field may be missing, repeated, unknown, or of any type. */
const nearlyNewPets = (() => {
	const json = (value: unknown) => JSON.stringify(value);
	const anything = fc.json({ maxDepth: 2 });
	const name = fc.oneof({ weight: 6, arbitrary: fc.string({ minLength: 1 }).map(json) }, anyText.map(json), anything);
	const numbers = ["0", "-0", "1.0", "1e3", "1.5", "9223372036854775807", "9223372036854775808", "1e18", "1e19", '"1"'];
	const notation = fc.stringMatching(/^-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,25})?([eE][+-]?[0-9]{1,3})?$/);
	const edges = fc.bigInt(-(2n ** 64n), 2n ** 64n).map(String);
	const integer = { weight: 6, arbitrary: fc.oneof(fc.integer().map(json), notation, edges) };
	const number = fc.oneof(integer, fc.constantFrom(...numbers), anything);
	const status = fc.oneof(fc.constantFrom(...petStatuses, "Sold", "", null).map(json), anything);
	const unknown = fc.constantFrom("id", "Name", "statuses", "__proto__", "constructor");
	const field = fc.oneof(
		{ weight: 4, arbitrary: name.map((value) => `"name":${value}`) },
		{ weight: 4, arbitrary: number.map((value) => `"categoryId":${value}`) },
		status.map((value) => `"status":${value}`),
		fc.tuple(unknown, anything).map(([key, value]) => `"${key}":${value}`),
	);
	const valid = fc.tuple(name, number).map(([one, two]) => `"name":${one},"categoryId":${two}`);
	const several = fc.array(field, { maxLength: 5 }).map((all) => all.join(","));
	const fields = fc.tuple(fc.oneof(valid, several), fc.option(field, { nil: undefined }));
	return fields.map(([all, more]) => `{${all}${more ? `,${more}` : ""}}`);
})();

test("any body that is a NewPet is stored, and any other bytes are refused and store nothing", async (context) => {
	const { send } = await testService(context);
	const nearly = fc
		.tuple(fc.constant('{"name":"a","categoryId":1,"status":"sold"}'), fc.nat(50), fc.string({ maxLength: 3 }))
		.map(([text, at, insert]) => text.slice(0, at) + insert + text.slice(at));
	const body = fc.oneof(
		fc.uint8Array({ maxLength: 200 }).map(Buffer.from),
		fc.json({ maxDepth: 3 }).map(Buffer.from),
		nearly.map(Buffer.from),
		{ weight: 3, arbitrary: nearlyNewPets.map(Buffer.from) },
	);
	let [stored, refused] = [0, 0];
	await fc.assert(
		fc.asyncProperty(body, async (bytes) => {
			const expected = readAsNewPet(bytes);
			const reply = await send({ method: "POST", path: "/v1/pets", body: Buffer.from(bytes) });
			if (expected === "invalid_json" || expected === "invalid_body") {
				refused++;
				return assertFailure(reply, expected);
			}
			const pet = `{"id":${++stored},${expected}}`;
			assert.deepEqual([reply.status, reply.body], [201, pet]);
			assert.equal((await send({ path: `/v1/pets/${stored}` })).body, pet);
		}),
		{ numRuns, endOnFailure: true },
	);
	assert.equal((await send({ path: `/v1/pets/${stored + 1}` })).status, 404, "nothing else was stored");
	assert.ok(stored > numRuns / 20 && refused > numRuns / 4, `${stored} were stored and ${refused} refused`);
});
