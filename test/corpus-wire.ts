// The bytes of the corpus: requests from their text, sent packet by packet over kept-alive connections, and the replies to them with
// all that differs from run to run replaced by a word.

import diagnostics from "node:diagnostics_channel";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { TestContext } from "node:test";
import { gunzipSync } from "node:zlib";
import { type PetStatus, petStatuses } from "../src/contract/pet.ts";
import type { Cursors } from "../src/http/paging.ts";
import { endOfList } from "../src/store/store.ts";
import type { Reply } from "./corpus-files.ts";
import { until, within } from "./until.ts";

type CursorOf = (id: string, status: PetStatus | undefined) => string;

/** Outside of Latin-1, so no byte is one of these. */
const [packetMark, endMark] = ["\u2016", "\u2017"];
const escapes: Record<string, string> = { r: "\r", n: "\n", t: "\t", "\\": "\\", "|": packetMark, ".": endMark };

/** @returns the packets of a request; an empty one closes the client's side */
export function piecesOf(request: string, words: Record<string, string>, cursorOf: CursorOf = (id) => id): Buffer[] {
	const text = withWords(request, words).replaceAll(/\{cursor (\S+?)(?: (\w+))?\}/g, (_, id, status) =>
		cursorOf(id, status),
	);
	const placesOf = (name: string) =>
		[...text.matchAll(new RegExp(`\\{${name} (\\d+)\\}`, "g"))].map(([, at]) => Number(at));
	let bytes = latin1Of(text.replaceAll(/\{(?:cut|first) \d+\}/g, ""));
	const body = bytes.slice(bytes.indexOf("\r\n\r\n") + 4).replaceAll(packetMark, "");
	bytes = bytes.replace("{length}", String(body.length));
	for (const length of placesOf("first")) bytes = bytes.slice(0, length) + endMark;
	for (const at of placesOf("cut").sort((one, other) => other - one))
		if (at < bytes.length) bytes = bytes.slice(0, at) + packetMark + bytes.slice(at);
	const pieces = bytes.replaceAll(endMark, packetMark).split(packetMark);
	return pieces.map((piece) => Buffer.from(piece, "latin1"));
}

function withWords(request: string, words: Record<string, string>): string {
	const text = request.replaceAll(/\{(\w+)\}/g, (whole, name) =>
		Object.hasOwn(words, name) ? (words[name] ?? "") : whole,
	);
	if (text !== request) return withWords(text, words);
	return text.replaceAll(/\{(\d+)×(.*?)\}/g, (_, count, unit) => unit.repeat(Number(count)));
}

/** A character for each byte, and for the marks. */
function latin1Of(text: string): string {
	return Buffer.from(text, "utf8")
		.toString("latin1")
		.replaceAll(/\\(?:x([0-9a-f]{2})|(.))/g, (_, hex, name) =>
			hex === undefined ? (escapes[name] ?? name) : String.fromCharCode(Number.parseInt(hex, 16)),
		);
}

interface Connection {
	socket: Socket;
	received: Buffer;
	isEnded: boolean;
	onChange: () => void;
	/** The service's side, in this process: it shows what was read. */
	peer: Socket;
}

/** How many connections serve requests in turn. */
const keptConnections = 3;
const sentinel = "GET /livez HTTP/1.1\r\nHost: a\r\nX-Request-Id: sentinel\r\n\r\n";
const sentinelReply = /HTTP\/1\.1 200 OK\r\n(?:[^\r\n]+\r\n)*x-request-id: sentinel\r\n(?:[^\r\n]+\r\n)*\r\n.*$/s;
const finalHead = /^HTTP\/1\.1 [2-5]\d\d (?:[^\r\n]*\r\n)*\r\n/m;

/** @returns a function that sends packets and resolves when all replies to them have arrived */
export function createSender(context: TestContext, port: number) {
	const kept: (Connection | undefined)[] = Array.from({ length: keptConnections });
	const peers = new Map<number, Socket>();
	const notePeer = (message: unknown) => {
		const { socket } = message as { socket: Socket };
		peers.set(socket.remotePort ?? 0, socket);
	};
	diagnostics.subscribe("net.server.socket", notePeer);
	context.after(() => {
		diagnostics.unsubscribe("net.server.socket", notePeer);
		for (const connection of kept) connection?.socket.destroy();
	});

	async function open(): Promise<Connection> {
		const socket = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
		await once(socket, "connect");
		const peer = await until("the service to accept", () => peers.get(socket.localPort ?? 0), { everyMs: 0 });
		peers.delete(socket.localPort ?? 0);
		const connection: Connection = { socket, received: Buffer.alloc(0), isEnded: false, onChange: () => {}, peer };
		const end = () => {
			connection.isEnded = true;
			connection.onChange();
		};
		socket.on("data", (bytes) => {
			connection.received = Buffer.concat([connection.received, bytes]);
			connection.onChange();
		});
		socket.on("end", end).on("error", end).on("close", end);
		return connection;
	}
	let count = 0;
	return async function send(pieces: Buffer[], isAlone: boolean): Promise<{ received: Buffer; isOpen: boolean }> {
		const place = count++ % keptConnections;
		const connection = (isAlone ? undefined : kept[place]) ?? (await open());
		if (!isAlone && !kept[place]) await exchange(connection, []);
		const outcome = await exchange(connection, pieces);
		if (!outcome.isOpen || isAlone) connection.socket.destroy();
		if (!isAlone) kept[place] = outcome.isOpen ? connection : undefined;
		return outcome;
	};
}

/** Sends packets, then asks for a known reply, which comes after all others: no wait is needed to know that there are no more. */
async function exchange(connection: Connection, pieces: Buffer[]): Promise<{ received: Buffer; isOpen: boolean }> {
	const { socket } = connection;
	connection.received = Buffer.alloc(0);
	const text = () => connection.received.toString("latin1");
	for (const piece of pieces) {
		const read = connection.peer.bytesRead + piece.length;
		if (piece.length === 0) socket.end();
		else socket.write(piece);
		if (pieces.length > 1) await isRead(connection, read);
	}
	await arrived(connection, () => pieces.length === 0 || finalHead.test(text()));
	const isLast = pieces.at(-1)?.length === 0 || /^connection: close\r$/im.test(text());
	if (!isLast && !connection.isEnded) socket.write(sentinel);
	await arrived(connection, () => !isLast && sentinelReply.test(text()));
	const received = Buffer.from(text().replace(sentinelReply, ""), "latin1");
	return { received, isOpen: received.length < connection.received.length };
}

/** Resolves when the service has read so many bytes, or reads no more. */
async function isRead(connection: Connection, bytes: number): Promise<void> {
	const { peer } = connection;
	while (peer.bytesRead < bytes && !peer.destroyed && connection.received.length === 0)
		await new Promise((resolve) => setImmediate(resolve));
}

/** Resolves when enough has arrived, or the service has closed the connection. */
async function arrived(connection: Connection, isEnough: () => boolean): Promise<void> {
	while (!connection.isEnded && !isEnough()) {
		const changed = Promise.withResolvers<void>();
		connection.onChange = changed.resolve;
		await within(`more than ${JSON.stringify(connection.received.toString("latin1"))}`, changed.promise, 15_000);
	}
}

/** Values that are a reply's own; all others belong to a head that many replies have. */
const ownHeaders = /^(link|etag|location|x-request-id|traceparent|ratelimit|content-length): (?!<\w+>$)(.*)$/gim;

/** The replies in bytes, without what no two runs have in common. */
export function corpusReplies(bytes: Buffer, port: number, cursors: Cursors): Reply[] {
	const replies: Reply[] = [];
	for (let rest = bytes; rest.length > 0; ) {
		const end = rest.indexOf("\r\n\r\n");
		if (end < 0) return [...replies, { head: "no reply", own: [], body: rest.toString("latin1") }];
		const head = rest.toString("latin1", 0, end).replaceAll("\r\n", "\n");
		const after = rest.subarray(end + 4);
		const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
		// The reply to HEAD has no body, and what follows it is the next reply.
		const hasBody = length > 0 && after.length > 0 && !after.toString("latin1", 0, 7).startsWith("HTTP/1.");
		replies.push(replyOf(head, hasBody ? after.subarray(0, length) : undefined, { port, cursors }));
		rest = hasBody ? after.subarray(length) : after;
	}
	return replies;
}

function replyOf(
	rawHead: string,
	raw: Buffer | undefined,
	{ port, cursors }: { port: number; cursors: Cursors },
): Reply {
	const isFile = /^cache-control: (no-cache|public.*)$/m.test(rawHead) && /^etag:/m.test(rawHead);
	const text = raw && (/^content-encoding: gzip$/m.test(rawHead) ? gunzipSync(raw) : raw).toString();
	const body = isFile && text ? "<the file>" : text?.replace(/try again in \d+ seconds/, "try again in <s> seconds");
	const marked = rawHead
		.replace(/^(date): \w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$/im, "$1: <now>")
		.replace(/^(x-request-id): [\w-]{8}-[0-9a-z]+$/m, "$1: <new>")
		.replace(/^(traceparent: 00-\w{32})-\w{16}-/m, "$1-<span>-")
		.replace(/^(ratelimit: .*;t)=\d+$/m, "$1=<s>")
		.replace(/^(retry-after): \d{3,}$/m, "$1: <s>")
		.replaceAll(`127.0.0.1:${port}`, "127.0.0.1:<port>")
		.replaceAll(/cursor=[\w-]+/g, (whole) => cursorWord(whole, cursors));
	const head = isFile
		? marked.replace(/^etag: .*$/m, "etag: <file>").replace(/^(content-length): .*$/m, "$1: <file>")
		: marked.replace(/^(content-length): .*$/m, (line, name) =>
				line === `${name}: ${raw?.length}` ? `${name}: <body>` : line,
			);
	const own = [...head.matchAll(ownHeaders)].map(([, , value = ""]) => value);
	return { head: head.replaceAll(ownHeaders, "$1: <own>"), own, body };
}

/** The word for a cursor of ours, as requests have it. */
function cursorWord(field: string, cursors: Cursors): string {
	for (const status of [undefined, ...petStatuses]) {
		try {
			const { after, upTo } = cursors.read(field.slice("cursor=".length), status);
			const id = upTo === undefined ? after : upTo === endOfList ? "last" : `-${upTo}`;
			return `cursor={cursor ${id}${status ? ` ${status}` : ""}}`;
		} catch {}
	}
	return field;
}
