// Kept-alive connections that many callers use in turn, like a proxy's. Around the requests of a test, the pool sends
// requests with other keys, Hosts, origins and codings. Each reply must be as if its request were alone.

import assert from "node:assert/strict";
import { assertDeclared } from "./declared.ts";
import { within } from "./until.ts";
import { Connection, type Reply } from "./wire.ts";

export interface TestRequest {
	method?: string;
	path: string;
	headers?: Record<string, string | undefined>;
	body?: string | Buffer;
}

/** Makes requests that post JSON, given as text or as a value, to a path. */
export const posting =
	(path: string) =>
	(body: unknown, headers: Record<string, string | undefined> = {}): TestRequest => ({
		method: "POST",
		path,
		headers: { "Content-Type": "application/json", ...headers },
		body: typeof body === "string" ? body : JSON.stringify(body),
	});

interface PoolOptions {
	port: number;
	/** The key of requests that have no Authorization. */
	key: string;
	/** Requests that the pool sends in turn, beginning with `first`; none if the test counts requests. */
	mixes: Mix[];
	first: number;
	/** Whether the service makes the URLs in replies from the request's Host. */
	linksToHost: boolean;
}

/** The number of connections that stay open. */
const size = 3;

class PooledConnection extends Connection {
	isNew = true;
	isBusy = false;

	/** Sends requests in one piece. @returns the replies: fewer than the requests if the connection ends early */
	async exchange(requests: TestRequest[]): Promise<Reply[]> {
		assert.equal(this.received.length, 0, `bytes after the last reply: ${this.received}`);
		this.isNew = false;
		this.socket.write(Buffer.concat(requests.flatMap(bytesOf)));
		const replies: Reply[] = [];
		for (const { method } of requests) {
			const reply = await this.next(method === "HEAD");
			if (!reply) break;
			replies.push(reply);
		}
		return replies;
	}
}

export class Pool {
	readonly #options: PoolOptions;
	/** The open connections, in the order of their last use. */
	#connections: PooledConnection[] = [];
	#turn: number;

	constructor(options: PoolOptions) {
		this.#options = options;
		this.#turn = options.first;
	}

	/** Concurrent requests use separate connections. @throws AssertionError if a reply belongs to another request */
	async send(request: TestRequest): Promise<Reply> {
		const connection = this.#take();
		const [ahead, together] = this.#mixedWith(request, connection);
		try {
			if (ahead) await this.#exchange(connection, [ahead]);
			const reply = (await this.#exchange(connection, together))[together.indexOf(request)];
			assert.ok(reply, `no reply to ${request.method ?? "GET"} ${request.path.slice(0, 80)}`);
			return reply;
		} finally {
			connection.isBusy = false;
			if (isLast(request) || this.#connections.length > size) connection.end();
		}
	}

	end(): void {
		for (const connection of this.#open) connection.end();
	}

	/** Ends all connections as clients do: resets one, resets another during an upload, and closes the rest properly. */
	async cut(): Promise<void> {
		const [reset, upload] = this.#options.mixes.length > 0 ? this.#open : [];
		const headers = { "Content-Type": "application/json", "Content-Length": "9", Expect: "100-continue" };
		const create = { method: "POST", path: "/v1/pets", headers: { ...headers, "X-Request-Id": "mixed-cut" } };
		// The service asks for the body with 100 Continue.
		if (upload) await within("a 100", upload.exchange([this.#withHeaders(create)]));
		for (const connection of [reset, upload]) connection?.socket.resetAndDestroy();
		this.end();
	}

	get #open(): PooledConnection[] {
		return this.#connections.filter(({ isOpen }) => isOpen);
	}

	#take(): PooledConnection {
		const idle = this.#open.length < size ? undefined : this.#open.find(({ isBusy }) => !isBusy);
		const connection = idle ?? new PooledConnection(this.#options.port);
		connection.isBusy = true;
		this.#connections = [...this.#open.filter((other) => other !== connection), connection];
		return connection;
	}

	/** A mix is sent alone before the request, or in one piece with the request, before or after it. */
	#mixedWith(request: TestRequest, { isNew }: PooledConnection): [ahead: Mix | undefined, together: TestRequest[]] {
		const { mixes } = this.#options;
		const turn = this.#turn++;
		const next = mixes[turn % mixes.length];
		const mix = next && { ...next, headers: { "X-Request-Id": `mixed-${turn}`, ...next.headers } };
		if (mix && turn % 4 === 0) return [undefined, [mix, request]];
		if (mix && turn % 4 === 1 && !isNew && !isLast(request)) return [undefined, [request, mix]];
		return [turn % 4 === 2 || isNew ? mix : undefined, [request]];
	}

	/** @returns the replies: fewer than the requests if the connection ends early */
	async #exchange(connection: PooledConnection, requests: TestRequest[]): Promise<Reply[]> {
		const complete = requests.map((request) => this.#withHeaders(request));
		const text = complete.map(({ method = "GET", path }) => `${method} ${path.slice(0, 80)}`).join(", ");
		const replies = await within(`replies to ${text}`, connection.exchange(complete));
		for (const [index, reply] of replies.entries()) {
			const request = complete[index] as TestRequest | Mix;
			assertAlone(request, reply, this.#options.linksToHost);
			assertDeclared(request, reply);
			const isEnd = reply.headers["connection"] === "close";
			assert.ok(index === replies.length - 1 || !isEnd, `a reply after the reply that ends the connection: ${text}`);
		}
		return replies;
	}

	#withHeaders(request: TestRequest): TestRequest {
		const { port, key } = this.#options;
		const content = request.body !== undefined && {
			"Content-Type": "application/json",
			"Content-Length": String(Buffer.byteLength(request.body)),
		};
		const own = { Host: `127.0.0.1:${port}`, Authorization: `Bearer ${key}` };
		return { ...request, headers: { ...own, ...content, ...request.headers } };
	}
}

/** Whether this must be a connection's last request: the service may read more after its headers, or close. */
function isLast({ headers = {}, body = "" }: TestRequest): boolean {
	return Object.entries(headers).some(
		([name, value]) =>
			/^(connection|expect|transfer-encoding|upgrade)$/i.test(name) ||
			(/^content-length$/i.test(name) && value !== String(Buffer.byteLength(body))),
	);
}

function bytesOf({ method = "GET", path, headers = {}, body = "" }: TestRequest): Buffer[] {
	const lines = Object.entries(headers).flatMap(([name, value]) =>
		value === undefined ? [] : `${name}: ${value}\r\n`,
	);
	return [Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`, "latin1"), Buffer.from(body)];
}

export interface Mix extends TestRequest {
	/** The status of the reply, unless the store is unavailable or the rate is exceeded. */
	status: number;
}

/** An origin that services with mixes allow. */
export const mixedOrigin = "https://mixed.example";
const icon = "/docs/mark.svg";

/** @param key a read-only key @param hasOrigin whether the service allows the origin */
export function createMixes(key: string, hasOrigin: boolean): Mix[] {
	const somewhere = { Host: "mixed.example:81" };
	const reader = { ...somewhere, Authorization: `Bearer ${key}` };
	const nobody = { ...somewhere, Authorization: undefined };
	const wrong = { ...somewhere, Authorization: "Bearer wrong" };
	const page = hasOrigin && { Origin: mixedOrigin };
	const gzip = { "Accept-Encoding": "gzip" };
	const preflight = { ...nobody, ...page, "Access-Control-Request-Method": "POST" };
	const body = '{"name":"mixed","categoryId":1}';
	return [
		{ path: "/v1/pets", headers: wrong, status: 401 },
		{ method: "HEAD", path: "/v1/pets", headers: { ...reader, ...gzip, ...page }, status: 200 },
		{ method: "POST", path: "/v1/pets", headers: { ...reader, "Idempotency-Key": "mixed" }, body, status: 403 },
		{ path: icon, headers: { ...nobody, "If-None-Match": "*", Origin: "https://other.example" }, status: 304 },
		{ path: "/v1/nothing", headers: reader, status: 404 },
		{ path: "/v1/pets", headers: nobody, status: 401 },
		{ method: "HEAD", path: icon, headers: { ...nobody, ...gzip }, status: 200 },
		{ method: "DELETE", path: "/v1/pets", headers: { ...reader, "If-None-Match": "*" }, status: 405 },
		{ path: "/v1/pets?limit=1", headers: { ...reader, ...page }, status: 200 },
		{ method: "OPTIONS", path: "/v1/pets", headers: preflight, status: hasOrigin ? 204 : 401 },
		{ path: icon, headers: nobody, status: 200 },
	];
}

/** The part of a header that only mixes send and get back. */
const mixed = (field = "") => /mixed-\d+|https:\/\/mixed\.example/.exec(field)?.[0];

/** Whether a log line is about a mix. */
export const isOfMix = (line: string) => line.includes('"requestId":"mixed-');

/**
 * Asserts that nothing in the reply belongs to another request of its connection.
 * @param linksToHost whether the service makes the URLs in replies from the request's Host
 */
function assertAlone(request: TestRequest | Mix, reply: Reply, linksToHost: boolean): void {
	const { path, headers = {} } = request;
	const sent = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
	const got = reply.headers;
	const shown = `${path.slice(0, 80)} ${JSON.stringify(headers)} got ${reply.status} ${JSON.stringify(got)}`;
	if ("status" in request) assert.ok([request.status, 429, 503].includes(reply.status), shown);
	if (!sent.get("accept-encoding")) assert.equal(got["content-encoding"], undefined, shown);
	else if (path === icon) assert.equal(got["content-encoding"], "gzip", shown);
	assert.equal(mixed(got["access-control-allow-origin"]), mixed(sent.get("origin")), shown);
	assert.equal(mixed(got["x-request-id"]), mixed(sent.get("x-request-id")), shown);
	if (reply.status === 304) assert.ok(sent.get("if-none-match"), shown);
	if (got["idempotency-replayed"]) assert.ok(sent.get("idempotency-key"), shown);
	if (reply.status === 401) {
		const isMissing = (sent.get("authorization") ?? "").trim() === "";
		assert.equal(reply.headers["www-authenticate"]?.includes("invalid_token"), !isMissing, shown);
	}
	if (!linksToHost) return;
	for (const [, host] of `${got["link"]} ${got["location"]}`.matchAll(/\bhttps?:\/\/([^/]+)/g))
		assert.equal(host, sent.get("host"), shown);
}
