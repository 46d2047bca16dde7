// Validates the query and the body of a request against their schemas, instead of Fastify's parsers and validator.

import type { FastifyInstance } from "fastify";
import type { ApiError } from "../contract/errors.ts";
import type { Operation } from "../contract/operations.ts";
import { checkNewPet, queryCheck } from "../contract/validate.ts";
import { readJson } from "./body.ts";

export function addValidation(app: FastifyInstance): void {
	app.removeAllContentTypeParsers();
	app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
	app.setValidatorCompiler<Operation["query"]>(({ schema, httpPart }) => {
		// The body is parsed here, because after an error of a content-type parser Fastify closes the connection.
		const check = httpPart === "body" ? (body: Buffer | null) => checkNewPet(readJson(body)) : queryCheck(schema);
		return (value) => {
			try {
				return { value: check(value) };
			} catch (error) {
				return { error: error as ApiError };
			}
		};
	});
}
