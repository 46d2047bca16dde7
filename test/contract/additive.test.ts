// Changes to the OpenAPI document that would break programs are reported; additions are not.

import assert from "node:assert/strict";
import { test } from "node:test";
import { breakingChanges, type Document } from "../../package/additive.ts";
import { read } from "../support/checkout.ts";

const released: Document = JSON.parse(read("package/released/openapi.json"));

test("openapi.json only adds to what was released", () => {
	assert.deepEqual(breakingChanges(released, JSON.parse(read("openapi.json"))), []);
});

/** Makes a change to a copy of the released document. @returns the breaking changes that are reported */
// biome-ignore lint/suspicious/noExplicitAny: a test changes any place of the document
function after(change: (document: any) => void): string[] {
	const document = structuredClone(released);
	change(document);
	return breakingChanges(released, document);
}

test("removals, renames and narrower rules are reported, each in a sentence", () => {
	const list = (document: Document) => document.paths["/pets"]?.["get"];
	for (const [change, said] of [
		[(it) => delete it.paths["/pets"].post, "POST /pets was removed"],
		[(it) => (it.paths["/pets"].get.operationId = "list"), "GET /pets was renamed to list"],
		[(it) => list(it)?.parameters?.pop(), "GET /pets: the parameter "],
		[
			(it) => delete it.paths["/pets"].get.responses["200"].headers.Link,
			"GET /pets: reply 200 no longer has the header Link",
		],
		[(it) => delete it.paths["/pets"].post.responses["201"], "POST /pets: reply 201 was removed"],
		[
			(it) => (it.components.schemas.NewPet.properties.name.maxLength = 10),
			"POST /pets: the body.name has a narrower maxLength",
		],
		[(it) => it.components.schemas.NewPet.required.push("status"), "POST /pets: the body now requires status"],
		[(it) => delete it.components.schemas.Pet.properties.status, "GET /pets: reply 200[].status was removed"],
		[
			(it) => (it.components.schemas.Pet.properties.id.format = "int32"),
			"GET /pets: reply 200[].id has another format",
		],
		[(it) => (it.components.schemas.Pet.required = ["id"]), "GET /pets: reply 200[]: name is no longer required"],
		[(it) => it.components.schemas.PetStatus.enum.push("lost"), "GET /pets: reply 200[].status may now be lost"],
		[(it) => it.components.schemas.PetStatus.enum.shift(), "POST /pets: the body.status no longer accepts available"],
		// biome-ignore lint/suspicious/noExplicitAny: see above
	] as [(document: any) => unknown, string][]) {
		const found = after((document) => void change(document));
		assert.ok(
			found.some((sentence) => sentence.startsWith(said)),
			`${said}: ${found.join("; ")}`,
		);
	}
});
