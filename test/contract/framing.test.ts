// Requests that arrive in pieces of any size. test/contract/corpus has every malformed, ambiguous, too long, stalled or
// interrupted request, and the reply to each.

import assert from "node:assert/strict";
import { test } from "node:test";
import { underWayMax } from "../../src/http/connection.ts";
import { pick, seed, seededRandom } from "../support/random.ts";
import { type TestService, testService } from "../support/service.ts";
import { Connection, createHead } from "../support/wire.ts";

const pet = '{"name":"a","categoryId":1}';

/** A POST with these header lines and those that every request needs. */
const post = ({ key }: TestService, lines: string, body = "") => `${createHead(key, lines)}\r\n${body}`;
const get = ({ key }: TestService, lines = "") =>
	`GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n${lines}\r\n`;

test("bodies of every length are read, with blank lines, however framed and cut into pieces", async (context) => {
	const service = await testService(context, { mixes: false });
	const random = seededRandom(seed);
	const spaced = '{"name":"a",\r\n\r\n"categoryId":\r\n\r\n1}\r\n\r\n';
	const chunk = `${spaced.length.toString(16)}\r\n${spaced}\r\n`;
	/** Longer than any packet. */
	const long = pet.replace("}", `${" ".repeat(65_000)}}`);
	const longPost = [post(service, `Content-Length: ${long.length}\r\n`, long), 201] as const;
	const kinds = [
		[get(service), 200],
		[`\r\n${get(service)}`, 200],
		[post(service, `Content-Length: ${spaced.length}\r\n`, spaced), 201],
		[post(service, "Transfer-Encoding: chunked\r\n", `${chunk}0\r\n\r\n`), 201],
		[post(service, "Transfer-Encoding: chunked\r\n", `${chunk}0\r\nX-A: b\r\n\r\n`), 201],
		[get(service, `Content-Length: ${spaced.length}\r\n`) + spaced, 200],
	] as const;
	for (let round = 0; round < 15; round++) {
		const size = pick([1, 10, 100, 1000, 10_000], random);
		const all = size >= 1000 ? [...kinds, longPost] : kinds;
		const sent = Array.from({ length: underWayMax - 1 }, () => pick(all, random));
		const connection = new Connection(service.port);
		const bytes = sent.map(([request]) => request).join("");
		for (let at = 0, end = 0; at < bytes.length; at = end) {
			end = at + 1 + Math.floor(random() * size);
			connection.socket.write(bytes.slice(at, end));
			if (at % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
		}
		const statuses: (number | undefined)[] = [];
		while (statuses.length < sent.length) statuses.push((await connection.next(false))?.status);
		assert.deepEqual(
			statuses,
			sent.map(([, status]) => status),
			`round ${round}`,
		);
		connection.end();
	}
});
