// Puts load on a server at a constant rate. Latency is measured from the time when a request should have been sent.
// Therefore a stall also counts for the requests that are sent late because of it (no coordinated omission). The load
// runs in a separate process on the second core. Argument: a JSON file with the load, whose `perSecond` is the rate.

import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as tick } from "node:timers/promises";
import { promisify } from "node:util";
import { createBody, type Load, nextRequest, onCore } from "./load.ts";

interface SteadyLoad extends Load {
	perSecond: number;
	/** The number of additional connections that create animals, one after another. Their requests are not counted. */
	creators?: number;
}

export interface Latency {
	/** Replies per second: fewer than the rate if the server or the generator could not keep up. */
	perSecond: number;
	p50Ms: number;
	p99Ms: number;
	p999Ms: number;
	failures: number;
}

/** Requests in this time are not counted, because the code of the load itself is still being compiled. */
const warmUpSeconds = 0.5;

/** Runs the load in a separate process. */
export async function measureSteady(load: SteadyLoad): Promise<Latency> {
	const file = join(tmpdir(), `animal-store-steady-${process.pid}.json`);
	writeFileSync(file, JSON.stringify(load));
	const [program = "", ...parameters] = onCore(1, [process.execPath, import.meta.filename, file]);
	const { stdout } = await promisify(execFile)(program, parameters).finally(() => rmSync(file));
	return JSON.parse(stdout);
}

/** The request as it goes over the wire. */
function textOf(load: Load): string {
	const { method, path, headers, body = "" } = nextRequest(load);
	const length = { "content-length": String(Buffer.byteLength(body)) };
	const fields = Object.entries({ host: new URL(load.url).host, ...headers, ...(body && length) });
	return `${method} ${path} HTTP/1.1\r\n${fields.map((field) => field.join(": ")).join("\r\n")}\r\n\r\n${body}`;
}

/** The status of a reply; undefined until the reply is complete. */
function statusOf(text: string): number | undefined {
	const end = text.indexOf("\r\n\r\n");
	if (end < 0) return undefined;
	const status = Number(text.slice(9, 12));
	const length = Number(/\r\ncontent-length: *(\d+)/i.exec(text.slice(0, end))?.[1] ?? 0);
	return status === 304 || text.length >= end + 4 + length ? status : undefined;
}

/** Creates animals, one after another. */
function createAlways(load: Load): Socket {
	const text = textOf({ ...load, body: createBody });
	const socket = connect(Number(new URL(load.url).port), new URL(load.url).hostname).setNoDelay();
	let received = "";
	socket.setEncoding("latin1").on("connect", () => socket.write(text));
	return socket.on("data", (part) => {
		received += part;
		if (statusOf(received) === undefined) return;
		received = "";
		socket.write(text);
	});
}

interface Connection {
	socket: Socket;
	intendedAtMs: number;
	received: string;
}

interface Done {
	replies: number;
	latenciesMs: number[];
	failures: number;
	elapsedMs: number;
}

async function fire(load: SteadyLoad): Promise<Done> {
	const done: Done = { replies: 0, latenciesMs: [], failures: 0, elapsedMs: 0 };
	let countedFromMs = 0;
	const { hostname, port } = new URL(load.url);
	const idle: Connection[] = [];
	const all = Array.from({ length: load.connections }, () => {
		const connection = { socket: connect(Number(port), hostname).setNoDelay(), intendedAtMs: 0, received: "" };
		connection.socket.setEncoding("latin1").on("data", (text) => receive(connection, text));
		return connection;
	});
	function receive(connection: Connection, text: string | Buffer): void {
		connection.received += text;
		const status = statusOf(connection.received);
		if (status === undefined) return;
		done.replies++;
		if (connection.intendedAtMs >= countedFromMs) done.latenciesMs.push(performance.now() - connection.intendedAtMs);
		if (status >= 400 !== (load.isRefused ?? false)) done.failures++;
		connection.received = "";
		idle.push(connection);
	}
	await Promise.all(all.map(({ socket }) => once(socket, "connect")));
	idle.push(...all);
	const creators = Array.from({ length: load.creators ?? 0 }, () => createAlways(load));
	const total = Math.round(load.perSecond * (load.seconds + warmUpSeconds));
	const startedAtMs = performance.now();
	countedFromMs = startedAtMs + warmUpSeconds * 1000;
	// The load ends after twice `seconds`, even if requests are left. This lowers `perSecond`.
	const giveUpAtMs = startedAtMs + load.seconds * 2000;
	for (let sent = 0; done.replies < total && performance.now() < giveUpAtMs; await tick()) {
		for (; sent < total && idle.length > 0; sent++) {
			const intendedAtMs = startedAtMs + (sent * 1000) / load.perSecond;
			if (intendedAtMs > performance.now()) break;
			const connection = idle.shift() as Connection;
			connection.intendedAtMs = intendedAtMs;
			connection.socket.write(textOf(load));
		}
	}
	done.elapsedMs = performance.now() - startedAtMs;
	for (const socket of [...all.map(({ socket }) => socket), ...creators]) socket.destroy();
	return done;
}

function latencyOf({ replies, latenciesMs, failures, elapsedMs }: Done): Latency {
	const sorted = Float64Array.from(latenciesMs).sort();
	const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
	const perSecond = (replies / elapsedMs) * 1000;
	return { perSecond, p50Ms: at(0.5), p99Ms: at(0.99), p999Ms: at(0.999), failures };
}

if (import.meta.main) {
	const load = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
	console.log(JSON.stringify(latencyOf(await fire(load))));
}
