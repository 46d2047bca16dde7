// Which failures of PostgreSQL lead to 503, because a retry may succeed, and which to 500.

import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { StorageUnavailable, StoreRefused } from "../store.ts";
import { toStoreError } from "./errors.ts";

const serverError = (code: string) => Object.assign(new pg.DatabaseError("said the server", 9, "error"), { code });

/** Every class of PostgreSQL's appendix A that is an error, and single codes that differ from their class. */
const unavailable = `08000 08006 08P01 25006 25P03 25P04 26000 28000 28P01 3D000 40001 40P01 40003 42501 42P05 53100 53200 53300
	55000 55P03 57014 57P01 57P03 58000 58030 72000 F0000 XX000 XX001`;
const bugs = `03000 09000 0A000 0B000 0F000 0L000 0P000 0Z000 10608 20000 21000 22000 22P02 23000 23505 24000 25000 25P02 27000 2B000
	2D000 2F000 34000 38000 39000 3B000 3F000 42000 42601 42P01 44000 54000 54001 HV000 P0001`;

test("server errors that time or an operator can fix become StorageUnavailable, and all others stay unchanged", () => {
	for (const code of unavailable.split(/\s+/)) {
		const error = toStoreError(serverError(code));
		assert.ok(error instanceof StorageUnavailable, code);
		assert.equal(error.message, `${code}: said the server`);
	}
	for (const code of bugs.split(/\s+/)) {
		const error = serverError(code);
		assert.equal(toStoreError(error), error, code);
	}
});

test("a lost or failed connection becomes StorageUnavailable", () => {
	for (const error of [
		Object.assign(new Error("connect"), { code: "ECONNREFUSED" }),
		Object.assign(new Error("write"), { code: "EPIPE" }),
		new Error("Connection terminated unexpectedly"),
		new Error("Query read timeout"),
	])
		assert.ok(toStoreError(error) instanceof StorageUnavailable, error.message);
});

test("errors in our code and errors of the Store stay unchanged", () => {
	for (const error of [new TypeError("x"), new StorageUnavailable("x"), new StoreRefused("x")])
		assert.equal(toStoreError(error), error);
});
