// openapi.json is generated, committed, served and complete, and a standard linter finds nothing.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Ajv } from "ajv";
import fc from "fast-check";
import { openApiText } from "../../openapi/document.ts";
import { errorTable } from "../../openapi/introduction.ts";
import { errorCodes } from "../../src/contract/errors.ts";
import { checkFields } from "../../src/contract/validate.ts";
import { readIdempotencyKey } from "../../src/http/checks.ts";
import { read } from "../support/checkout.ts";
import { seed } from "../support/random.ts";
import { testService } from "../support/service.ts";
import { succeeds } from "../support/until.ts";

fc.configureGlobal({ seed });

// biome-ignore lint/suspicious/noExplicitAny: a JSON document is read by path here
const document: any = JSON.parse(openApiText());
const ajv = new Ajv({ strict: false, formats: { int32: true, int64: true } });
ajv.addSchema({ ...document, $id: "openapi" });

test("openapi.json is up to date: npm run openapi writes it", () => {
	assert.equal(read("openapi.json"), openApiText());
});

test("the document is served exactly as committed", async (context) => {
	const { send } = await testService(context);
	const { status, headers, body } = await send({ path: "/openapi.json", headers: { Authorization: undefined } });
	assert.deepEqual([status, headers["content-type"], body], [200, "application/json", openApiText()]);
});

test("a standard linter finds nothing (Redocly, recommended rules)", async () => {
	const config = await createConfig({ extends: ["recommended"] });
	const problems = await lintFromString({ source: openApiText(), config });
	assert.notEqual((await lintFromString({ source: openApiText().replaceAll("getPet", "listPets"), config })).length, 0);
	const found = problems.map(({ ruleId, severity, message }) => `${severity} ${ruleId}: ${message}`);
	assert.deepEqual(found, []);
});

test("generators can copy the description into comments and texts", () => {
	assert.doesNotMatch(document.info.description, /\\|"""|\*\/|\t/);
});

test("docs/errors.md has the table of codes that the document has", () => {
	const page = read("docs/errors.md");
	assert.ok(page.includes(errorTable()) && document.info.description.includes(errorTable()));
	assert.equal(page.match(/^\| `/gm)?.length, errorCodes.length, "the table has no other row");
});

test("the document's pattern for Idempotency-Keys matches exactly those that are accepted", () => {
	const [{ name, schema }] = document.paths["/pets"].post.parameters;
	assert.equal(name, "Idempotency-Key");
	const pattern = new RegExp(schema.pattern);
	const isAccepted = (key: string) => succeeds(() => assert.notEqual(readIdempotencyKey(key), undefined));
	const unit = fc.constantFrom('"', "a", "!", "~", " ", "\x7f", "é");
	const lengths = [0, 1, 252, 253, 254, 255, 256];
	for (const [before, after] of ["k", '"k', 'k"', '"k"'].map((quotes) => quotes.split("k"))) {
		for (const length of lengths) {
			const key = before + "k".repeat(length) + after;
			assert.equal(pattern.test(key), isAccepted(key), key);
		}
	}
	fc.assert(fc.property(fc.string({ unit, maxLength: 6 }), (key) => pattern.test(key) === isAccepted(key)));
});

test("operations, parameters and limits are those of the interface document", () => {
	const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
		Object.entries(methods as object).map(
			([method, { operationId, deprecated = false }]) => `${operationId} ${method} ${path} ${deprecated}`,
		),
	);
	const expected = ["listPets get /pets false", "createPet post /pets false", "getPet get /pets/{petId} true"];
	assert.deepEqual(operations, expected);
	const { get: listPets, post: createPet } = document.paths["/pets"];
	const limit = listPets.parameters.find(({ name }: { name: string }) => name === "limit");
	assert.partialDeepStrictEqual(limit.schema, { minimum: 1, maximum: 100, default: 20 });
	assert.equal(limit.required ?? false, false);
	assert.equal(createPet.requestBody.required, true);
	assert.deepEqual(document.components.schemas.Error.properties.code["x-extensible-enum"], errorCodes);
	assert.deepEqual(document.security, [{ apiKey: [] }]);
	assert.equal(document.components.securitySchemes.apiKey.scheme, "bearer");
	assert.equal(document.info.version, "1.0.0");
	assert.equal(createPet.responses[201].links.getPet.operationId, "getPet");
});

test("the served document lists BASE_URL first, and no other host", async (context) => {
	const baseUrl = "https://animals.test/v1";
	const { send } = await testService(context, { environment: { BASE_URL: baseUrl } });
	const urlsOf = ({ servers }: { servers: { url: string }[] }) => servers.map(({ url }) => url);
	assert.deepEqual(urlsOf(JSON.parse((await send({ path: "/openapi.json" })).body)), [baseUrl, "/v1"]);
	assert.deepEqual(urlsOf(document), ["/v1"]);
});

/** All values of the members with this name, anywhere in the document. */
function membersNamed(name: string, part: unknown = document): unknown[] {
	if (typeof part !== "object" || part === null) return [];
	return Object.entries(part).flatMap(([key, value]) => [
		...(key === name ? [value] : []),
		...membersNamed(name, value),
	]);
}

test("every pattern has only the regular expressions that all languages share", () => {
	const portable =
		/^\^(?:\[\^?(?:[^\\[\]]|\\s|\\x[0-9A-F]{2})+\]|\{\d+,\d+\}|\((?!\?)|[)|*+?]|[\w !"#%&',/:;<=>@~-])+\$$/;
	const patterns = membersNamed("pattern");
	assert.ok(patterns.length >= 5);
	for (const pattern of patterns) {
		assert.match(String(pattern), portable);
		for (const [, max] of String(pattern).matchAll(/\{\d+,(\d+)\}/g)) assert.ok(Number(max) <= 1000, "Go's limit");
		assert.ok(new RegExp(String(pattern), "u"));
	}
	for (const special of ["^\\p{Cs}$", "^(?=a)$", "^(?:a)$", "^\\d$", "^[\\u0041]$", "^a{2,}?$", "^[\\w]$", "^a"])
		assert.doesNotMatch(special, portable);
});

test("the document's pattern for names accepts what the service does, and says what it lacks", () => {
	const { pattern, description } = document.components.schemas.NewPet.properties.name;
	assert.match(description, /The service checks exactly this/);
	const isAccepted = (name: string) => checkFields({ name, categoryId: 1 }).value.name === name;
	const published = new RegExp(pattern);
	const unit = fc.constantFrom("a", " ", "\t", "\0", "\x7f", "\xa0", "é", "🐾", "\u2028", "\u3000");
	fc.assert(fc.property(fc.string({ unit, maxLength: 6 }), (name) => published.test(name) === isAccepted(name)));
	for (const onlyTheService of ["\ud800", "\x85"]) {
		assert.ok(published.test(onlyTheService));
		assert.ok(!isAccepted(onlyTheService));
	}
});

test("a code, a field or a status that a later version adds is valid by the document", () => {
	const isValid = (name: string, value: object) => ajv.validate({ $ref: `openapi#/components/schemas/${name}` }, value);
	assert.ok(isValid("Error", { code: "new_code", message: "later", status: 418, requestId: "1" }));
	assert.ok(isValid("Pet", { id: 1, name: "Rex", categoryId: 1, color: "brown" }));
	assert.deepEqual(membersNamed("additionalProperties"), []);
	const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods as object));
	for (const { responses } of operations) assert.ok(responses.default && responses[405]);
});

test("every parameter and integer has its limits, and every parameter an example that keeps them", () => {
	const parameters = membersNamed("parameters").flatMap((some) => (Array.isArray(some) ? some : []));
	assert.equal(parameters.length, 7);
	for (const { name, schema, description, ...rest } of parameters) {
		assert.ok(description);
		const isValid = ajv.compile(schema.$ref ? { $ref: `openapi${schema.$ref}` } : schema);
		const example = rest.example ?? rest.examples.typical.value;
		assert.ok(isValid(example), `${name} ${example}`);
		const { type, ...rules } = schema.$ref ? document.components.schemas.PetStatus : schema;
		const limits = rules.enum ? ["enum"] : type === "integer" ? integerLimits : ["minLength", "maxLength", "pattern"];
		for (const limit of limits) assert.ok(limit in rules, `${name} has no ${limit}`);
	}
	for (const properties of membersNamed("properties")) {
		for (const [name, { type, ...rules }] of Object.entries(properties as Record<string, { type: string }>))
			if (type === "integer") for (const limit of integerLimits) assert.ok(limit in rules, `${name} has no ${limit}`);
	}
	assert.match(openApiText(), /"minimum": -9223372036854775808,\n *"maximum": 9223372036854775807\n/);
});
const integerLimits = ["format", "minimum", "maximum"];
