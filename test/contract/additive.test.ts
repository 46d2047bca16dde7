// Changes to the OpenAPI document that would break programs are reported; additions are not.

import assert from "node:assert/strict";
import { test } from "node:test";
import { breakingChanges, type Document } from "../../package/additive.ts";
import { read } from "../support/checkout.ts";

const released: Document = JSON.parse(read("package/released/openapi.json"));

test("openapi.json only adds to what was released", () => {
	assert.deepEqual(breakingChanges(released, JSON.parse(read("openapi.json"))), []);
});

// biome-ignore lint/suspicious/noExplicitAny: a test changes any place of the document
type Any = any;

test("removals, renames and narrower rules are reported, each in a sentence", () => {
	const changes: [change: (pets: Any, schemas: Any) => unknown, said: string][] = [
		[(pets) => delete pets.post, "POST /pets was removed"],
		[(pets) => (pets.get.operationId = "list"), "GET /pets was renamed to list"],
		[(pets) => pets.get.parameters.pop(), "GET /pets: the parameter "],
		[(pets) => delete pets.get.responses["200"].headers.Link, "GET /pets: reply 200 no longer has the header Link"],
		[(pets) => delete pets.post.responses["201"], "POST /pets: reply 201 was removed"],
		[(_, { NewPet }) => (NewPet.properties.name.maxLength = 10), "POST /pets: the body.name has a narrower maxLength"],
		[(_, { NewPet }) => NewPet.required.push("status"), "POST /pets: the body now requires status"],
		[(_, { Pet }) => delete Pet.properties.status, "GET /pets: reply 200[].status was removed"],
		[(_, { Pet }) => (Pet.properties.id.format = "int32"), "GET /pets: reply 200[].id has another format"],
		[(_, { Pet }) => (Pet.required = ["id"]), "GET /pets: reply 200[]: name is no longer required"],
		[(_, { PetStatus }) => PetStatus.enum.push("lost"), "GET /pets: reply 200[].status may now be lost"],
		[(_, { PetStatus }) => PetStatus.enum.shift(), "POST /pets: the body.status no longer accepts available"],
	];
	for (const [change, said] of changes) {
		const document: Any = structuredClone(released);
		change(document.paths["/pets"], document.components.schemas);
		const found = breakingChanges(released, document).filter((sentence) => sentence.startsWith(said));
		assert.notDeepEqual(found, [], said);
	}
});
