// openapi.json: generated, committed, served, complete, and clean to a standard linter.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Ajv } from "ajv";
import fc from "fast-check";
import { errorCodes } from "../src/contract/errors.ts";
import { openApiDocument, openApiText } from "../src/contract/openapi.ts";
import { readIdempotencyKey } from "../src/http/idempotency.ts";
import { runProgram } from "./program.ts";
import { testService } from "./service.ts";

// biome-ignore lint/suspicious/noExplicitAny: a JSON document is read by path here
const document: any = openApiDocument();

test("openapi.json is up to date: npm run openapi writes it", () => {
	assert.equal(readFileSync(new URL("../openapi.json", import.meta.url), "utf8"), openApiText());
});

test("the document is served and printed exactly as committed", async (context) => {
	const { send } = await testService(context);
	const { status, headers, body } = await send({ path: "/openapi.json", headers: { Authorization: undefined } });
	assert.deepEqual([status, headers["content-type"], body], [200, "application/json", openApiText()]);
	assert.equal((await runProgram(["openapi"])).stdout, openApiText());
});

test("a standard linter finds nothing (Redocly, recommended rules)", async () => {
	const config = await createConfig({ extends: ["recommended"] });
	const problems = await lintFromString({ source: openApiText(), config });
	assert.notEqual((await lintFromString({ source: openApiText().replaceAll("getPet", "listPets"), config })).length, 0);
	assert.deepEqual(
		problems.map(({ ruleId, severity, message }) => `${severity} ${ruleId}: ${message}`),
		[],
	);
});

test("the document's pattern for the Idempotency-Key matches exactly the keys that the service accepts", () => {
	const [{ name, schema }] = document.paths["/pets"].post.parameters;
	assert.equal(name, "Idempotency-Key");
	const pattern = new RegExp(schema.pattern);
	const isAccepted = (key: string) => {
		try {
			return readIdempotencyKey(key) !== undefined;
		} catch {
			return false;
		}
	};
	const unit = fc.constantFrom('"', "a", "!", "~", " ", "\x7f", "é");
	const lengths = [0, 1, 252, 253, 254, 255, 256];
	for (const quotes of [
		["", ""],
		['"', ""],
		["", '"'],
		['"', '"'],
	]) {
		for (const length of lengths) {
			const key = quotes.join("k".repeat(length));
			assert.equal(pattern.test(key), isAccepted(key), key);
		}
	}
	fc.assert(fc.property(fc.string({ unit, maxLength: 6 }), (key) => pattern.test(key) === isAccepted(key)));
});

test("operations, statuses, parameters and limits are those of the interface document", () => {
	const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
		Object.entries(methods as object).map(
			([method, { operationId, deprecated = false }]) => `${operationId} ${method} ${path} ${deprecated}`,
		),
	);
	assert.deepEqual(operations, [
		"listPets get /pets false",
		"createPet post /pets false",
		"getPet get /pets/{petId} true",
	]);
	const { listPets, createPet, getPet } = {
		listPets: document.paths["/pets"].get,
		createPet: document.paths["/pets"].post,
		getPet: document.paths["/pets/{petId}"].get,
	};
	for (const [operation, statuses] of [
		[listPets, ["200", "401"]],
		[createPet, ["201", "400", "401"]],
		[getPet, ["200", "401", "404"]],
	]) {
		for (const status of statuses) assert.ok(operation.responses[status], `${operation.operationId} ${status}`);
	}
	const limit = listPets.parameters.find(({ name }: { name: string }) => name === "limit");
	assert.deepEqual(
		[limit.schema.minimum, limit.schema.maximum, limit.schema.default, limit.required ?? false],
		[1, 100, 20, false],
	);
	assert.equal(createPet.requestBody.required, true);
	assert.deepEqual(document.components.schemas.NewPet.required, ["name", "categoryId"]);
	assert.deepEqual(document.components.schemas.Pet.required, ["id", "name", "categoryId"]);
	assert.equal(document.components.schemas.Pet.properties.id.format, "int64");
	assert.deepEqual(document.components.schemas.PetStatus.enum, ["available", "pending", "sold"]);
	assert.deepEqual(document.components.schemas.Error.required, ["code", "message", "status"]);
	assert.deepEqual(document.components.schemas.Error.properties.code.enum, errorCodes);
	assert.deepEqual(document.security, [{ apiKey: [] }]);
	assert.equal(document.components.securitySchemes.apiKey.scheme, "bearer");
	assert.equal(document.info.version, "1.0.0");
	assert.deepEqual(Object.keys(document.servers[0].variables), ["base_url"]);
	assert.deepEqual(Object.keys(document.servers[1].variables), ["staging_base_url"]);
	assert.equal(createPet.responses[201].links.getPet.operationId, "getPet");
});

test("every example is valid by its schema", () => {
	const ajv = new Ajv({ strict: false, formats: { int64: true } });
	ajv.addSchema({ ...document, $id: "openapi" });
	let examples = 0;
	for (const methods of Object.values(document.paths) as Record<
		string,
		{ requestBody?: object; responses: object }
	>[]) {
		for (const { requestBody, responses } of Object.values(methods)) {
			for (const part of [requestBody, ...Object.values(responses)]) {
				const media = part?.content?.["application/json"];
				if (!media) continue;
				const isValid = ajv.compile({ $ref: `openapi${media.schema.$ref}` });
				const values =
					media.example !== undefined
						? [media.example]
						: Object.values(media.examples).map((example) => (example as { value: unknown }).value);
				for (const value of values) assert.ok(isValid(value), JSON.stringify([value, isValid.errors]));
				examples += values.length;
			}
		}
	}
	assert.ok(examples > 50, "examples were found");
});
