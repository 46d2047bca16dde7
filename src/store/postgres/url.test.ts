// How DATABASE_URL is read: the forms of libpq with one host, and the messages about refused URLs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { nameOfServer, parsePostgresUrl, withoutPassword } from "./url.ts";

test("one URL names one server, in the forms of libpq", () => {
	const rows: [url: string, server: string][] = [
		["postgres://h/db", "h:5432"],
		["postgresql://me:secret@h:5433/db", "h:5433"],
		["postgres://h/db?port=6000", "h:6000"],
		["postgres://[::1]:5433/db", "[::1]:5433"],
		["postgres://me:p,q@[::1]/db", "[::1]:5432"],
		["postgres:///db?host=h&port=5433", "h:5433"],
		["postgres://me:secret@/db?host=h", "h:5432"],
		["postgres://ignored/db?host=::1", "[::1]:5432"],
		["postgres:///db?host=/run/postgresql", "/run/postgresql:5432"],
		["postgres:///db?host=%2Frun%2Fpostgresql", "/run/postgresql:5432"],
		["postgres://%2Frun%2Fpostgresql/db", "/run/postgresql:5432"],
		["postgres://%2Frun%2Fpostgresql:5433/db?sslmode=disable", "/run/postgresql:5433"],
		["postgres://%2frun%2fa/db?host=/run/b", "/run/b:5432"],
	];
	for (const [url, server] of rows) {
		assert.equal(nameOfServer(parsePostgresUrl(url)), server, url);
		assert.equal(parsePostgresUrl(url).database, "db", url);
	}
});

test("user, password and database are decoded, and parameters override the parts before them", () => {
	const read = (url: string) => {
		const { user, password, database } = parsePostgresUrl(url);
		return [user, password, database];
	};
	const rows: [url: string, ...(string | undefined)[]][] = [
		["postgres://a%40b:p%2F%3A:#w@h/d%23b", "a@b", "p/::#w", "d#b"],
		["postgres://h/db", undefined, undefined, "db"],
		["postgres://me@h/db", "me", undefined, "db"],
		["postgres://a:b@h/db?user=me&password=x=y&dbname=other", "me", "x=y", "other"],
		["postgres://a+b:c+d@h/e+f?application_name=g+h", "a+b", "c+d", "e+f"],
		["postgres://h/db?user=a%2Bb&password=c%23#d%20%25", "a+b", "c##d %", "db"],
		["postgres://%C3%A4:%25%32%35%E2%82%AC@h/%C3%B6%2523%2F%3F%26", "ä", "%25€", "ö%23/?&"],
		["postgres://a:p%25zz;|^`@h/a/../b", "a", "p%zz;|^`", "a/../b"],
	];
	for (const [url, ...values] of rows) assert.deepEqual(read(url), values, url);
	assert.equal(parsePostgresUrl("postgres://h/db?sslcert=c&sslkey=k&sslrootcert=r").parameters.size, 3);
	const { parameters } = parsePostgresUrl(
		"postgres://h/db?sslmode=require&options=-c%20search_path%3Da+b&sslmode=disable",
	);
	assert.deepEqual(
		[...parameters],
		[
			["sslmode", "disable"],
			["options", "-c search_path=a+b"],
		],
	);
});

test("a malformed URL and an unknown parameter are refused with a message that names the error and no secret", () => {
	const several = /^names several hosts: give one address that follows the primary, such as that of HAProxy, PgBouncer/;
	const rows: [url: string, problem: RegExp][] = [
		["postgres://", /^must name a database/],
		["postgres://h", /^must name a database/],
		["postgres://h/", /^must name a database/],
		["postgres://h/?database=db", /^has the unknown parameter database/],
		["postgres:///db", /^must name a host/],
		["postgres://me:secret@/db", /^must name a host/],
		["postgres:h/db", /^must be postgres:\/\/user:password@host:5432\/database$/],
		["postgres://me:sec@ret@h/db", /^has more than one @: write %40 for an @ in user or password$/],
		["postgres://::1/db", /^has an invalid host or port: write host:port, with \[ \] around an IPv6 address$/],
		["postgres://me:secret@h:x/db", /^has an invalid host or port/],
		["postgres://h:65536/db", /^has an invalid host or port/],
		["postgres://h:0/db", /^has the port 0: use an integer from 1 to 65535$/],
		["postgres://h/db?port=x", /^has the port x/],
		["postgres://h/db?port=65536", /^has the port 65536/],
		["postgres://me:secret@h1:5432,h2:5433/db", several],
		["postgres://h1,h2/db", several],
		["postgres://me:secret@h1,/db", several],
		["postgres:///db?host=h1,h2", several],
		["postgres://h/db?port=5432,5433", several],
		["postgres://me:secret%@h/db", /^has an invalid percent-encoding: write %25 for a %$/],
		["postgres://me:secret%ff@h/db", /^has an invalid percent-encoding/],
		["postgres://me:sec ret@h/db", /^has a space or a control character: write %20 for a space$/],
		["postgres://me:sec\nret@h/db", /^has a space or a control character/],
		["postgres://h/db?ssl_mode=require", /^has the unknown parameter ssl_mode: the known ones are host, port, dbname,/],
		["postgres://h/db?ssl=true", /^has the unknown parameter ssl:/],
		["postgres://h/db?uselibpqcompat=true", /^has the unknown parameter uselibpqcompat/],
		["postgres://h/db?target_session_attrs=any", /^has the unknown parameter target_session_attrs/],
		["postgres://h/db?password", /^has the parameter password without a value$/],
		["postgres://h/db?sslmode=", /^has the parameter sslmode without a value$/],
		["postgres://h/db?sslmode=prefer", /^has the unknown sslmode prefer: use disable, require, verify-ca/],
		["postgres://h/db?sslmode=no-verify", /^has the unknown sslmode no-verify/],
		["postgres://h/db?sslmode=Verify-Full", /^has the unknown sslmode Verify-Full/],
		["postgres://h/db?sslmode=verify-ca", /^has sslmode=verify-ca without sslrootcert/],
		["postgres://h/db?sslmode=require&sslrootcert=system", /^has sslmode=require with sslrootcert=system: use verify-/],
		["postgres://h/db?sslmode=verify-ca&sslrootcert=system", /^has sslmode=verify-ca with sslrootcert=system/],
	];
	for (const [url, problem] of rows) {
		assert.throws(
			() => parsePostgresUrl(url),
			(error: Error) => error.name === "InvalidUrl" && problem.test(error.message) && !/sec/.test(error.message),
			url,
		);
	}
});

test("passwords are not shown, in every place where a URL may have them", () => {
	const rows = [
		["postgres://me:hidden@h1:5432/db", "postgres://me:***@h1:5432/db"],
		["postgres://me:hid%40den@h/db?sslmode=require", "postgres://me:***@h/db?sslmode=require"],
		["postgres://me@h:5432/db?user=a&password=hidden&port=1", "postgres://me@h:5432/db?user=a&password=***&port=1"],
		["postgres:///db?p%61ssword=hidden&host=h", "postgres:///db?password=***&host=h"],
		["postgres://me:hid#den@h/db?password=hid#den", "postgres://me:***@h/db?password=***"],
		["https://api.example.com:8443/v1", "https://api.example.com:8443/v1"],
		["sqlite:./data/animal-store.db", "sqlite:./data/animal-store.db"],
	] as const;
	for (const [url, shown] of rows) assert.equal(withoutPassword(url), shown);
});
