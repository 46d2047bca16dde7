// How DATABASE_URL is read: the forms of libpq, and the sentences for what is refused.

import assert from "node:assert/strict";
import { test } from "node:test";
import { nameOfServer, parsePostgresUrl, withoutPassword } from "./url.ts";

test("one URL names one or several servers, in the forms of libpq", () => {
	const rows: [url: string, servers: string[]][] = [
		["postgres://h/db", ["h:5432"]],
		["postgresql://me:secret@h:5433/db", ["h:5433"]],
		["postgres://h1:5432,h2:5433,h3/db", ["h1:5432", "h2:5433", "h3:5432"]],
		["postgres://h1,h2/db?port=6000", ["h1:6000", "h2:6000"]],
		["postgres://[::1]:5433,127.0.0.1/db", ["[::1]:5433", "127.0.0.1:5432"]],
		["postgres:///db?host=h1,h2&port=5432,5433", ["h1:5432", "h2:5433"]],
		["postgres://ignored/db?host=h1,::1", ["h1:5432", "[::1]:5432"]],
		["postgres:///db?host=/run/postgresql", ["/run/postgresql:5432"]],
		["postgres://%2Frun%2Fpostgresql/db", ["/run/postgresql:5432"]],
	];
	for (const [url, servers] of rows) {
		assert.deepEqual(parsePostgresUrl(url).servers.map(nameOfServer), servers, url);
		assert.equal(parsePostgresUrl(url).database, "db");
	}
});

test("user, password and database are decoded, and parameters override the parts before them", () => {
	const read = (url: string) => {
		const { user, password, database, target } = parsePostgresUrl(url);
		return [user, password, database, target];
	};
	assert.deepEqual(read("postgres://a%40b:p%2F%3A:#w@h/d%23b"), ["a@b", "p/::#w", "d#b", "primary"]);
	assert.deepEqual(read("postgres://h/db"), [undefined, undefined, "db", "primary"]);
	assert.deepEqual(read("postgres://a:b@h/db?user=me&password=x=y&dbname=other&target_session_attrs=read-write"), [
		"me",
		"x=y",
		"other",
		"read-write",
	]);
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

test("a malformed URL and an unknown parameter are refused with a sentence that names the fault, and no secret", () => {
	const rows: [url: string, problem: RegExp][] = [
		["postgres://", /^must name a database/],
		["postgres://h", /^must name a database/],
		["postgres://h/", /^must name a database/],
		["postgres:///db", /^must name a host/],
		["postgres://me:secret@/db", /^must name a host/],
		["postgres://h1,,h2/db", /^must name a host/],
		["postgres:h/db", /^must be postgres:\/\/user:password@host:5432\/database$/],
		["postgres://me:sec@ret@h/db", /^has more than one @: write %40 for an @ in user or password$/],
		["postgres://::1/db", /^has an invalid host: write host:port, with \[ \] around an IPv6 address$/],
		["postgres://h:x/db", /^has the port x: use an integer from 1 to 65535$/],
		["postgres://h:65536/db", /^has the port 65536/],
		["postgres://h:0/db", /^has the port 0/],
		["postgres:///db?host=a,b,c&port=1,2", /^has 3 hosts and 2 ports: give one port, or one for each host$/],
		["postgres://me:secret%@h/db", /^has an invalid percent-encoding: write %25 for a %$/],
		["postgres://h/db?ssl_mode=require", /^has the unknown parameter ssl_mode: the known ones are host, port, dbname,/],
		["postgres://h/db?password", /^has the parameter password without a value$/],
		["postgres://h/db?target_session_attrs=any", /^has target_session_attrs=any: use read-write or primary/],
		["postgres://h/db?target_session_attrs=standby", /^has target_session_attrs=standby/],
		["postgres://h/db?sslmode=prefer", /^has the unknown sslmode prefer: use disable, require, verify-ca/],
		["postgres://h/db?sslmode=verify-ca", /^has sslmode=verify-ca without sslrootcert/],
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
		["postgres://me:hidden@h1:5432,h2:5433/db", "postgres://me:***@h1:5432,h2:5433/db"],
		["postgres://me:hid%40den@h/db?sslmode=require", "postgres://me:***@h/db?sslmode=require"],
		["postgres://me@h:5432/db?user=a&password=hidden&port=1", "postgres://me@h:5432/db?user=a&password=***&port=1"],
		["postgres:///db?p%61ssword=hidden&host=h", "postgres:///db?password=***&host=h"],
		["https://api.example.com:8443/v1", "https://api.example.com:8443/v1"],
		["sqlite:./data/animal-store.db", "sqlite:./data/animal-store.db"],
	] as const;
	for (const [url, shown] of rows) assert.equal(withoutPassword(url), shown);
});
