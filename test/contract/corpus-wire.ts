// The bytes of the corpus: the packets of a request, kept-alive connections that send packets, and the replies. In the
// replies, a fixed word replaces each value that changes from run to run.

import diagnostics from "node:diagnostics_channel";
import { EventEmitter, once } from "node:events";
import { connect, type Socket } from "node:net";
import { gunzipSync } from "node:zlib";
import { within } from "../support/until.ts";

/** Marks that are not Latin-1 characters, so that no byte of a request looks like a mark. */
const [packetMark, endMark] = ["\u2016", "\u2017"];
const escapes: Record<string, string> = { r: "\r", n: "\n", t: "\t", "|": packetMark, ".": endMark };

/** @returns the packets; an empty packet closes the client's side */
export function packetsOf(request: string, words: ReadonlyMap<string, string>): Buffer[] {
	const text = withWords(request, words);
	const places = (name: string) => [...text.matchAll(RegExp(`\\{${name} (\\d+)\\}`, "g"))].map(([, at]) => Number(at));
	let bytes = latin1Of(text.replaceAll(/\{(?:cut|first) \d+\}/g, ""));
	bytes = bytes.replace("{length}", String(bytes.slice(bytes.indexOf("\r\n\r\n") + 4).length));
	for (const length of places("first")) bytes = bytes.slice(0, length) + endMark;
	for (const at of places("cut").sort((one, other) => other - one))
		if (at < bytes.length) bytes = bytes.slice(0, at) + packetMark + bytes.slice(at);
	return bytes.split(/[\u2016\u2017]/).map((packet) => Buffer.from(packet, "latin1"));
}

function withWords(request: string, words: ReadonlyMap<string, string>): string {
	const text = request.replaceAll(/\{([\w -]+)\}/g, (whole, name) => words.get(name) ?? whole);
	if (text !== request) return withWords(text, words);
	return text.replaceAll(/\{(\d+)×(.*?)\}/g, (_, count, unit) => unit.repeat(Number(count)));
}

/** Converts a text to one character for each byte, and the marks. */
function latin1Of(text: string): string {
	const bytes = Buffer.from(text, "utf8").toString("latin1");
	return bytes.replaceAll(/\\(?:x([0-9a-f]{2})|(.))/g, (_, hex, name) =>
		hex === undefined ? (escapes[name] ?? name) : String.fromCharCode(Number.parseInt(hex, 16)),
	);
}

/** The number of connections that serve requests in turn. */
const keptConnections = 3;
const sentinel = "GET /livez HTTP/1.1\r\nHost: a\r\nX-Request-Id: sentinel\r\n\r\n";
const sentinelReply = /HTTP\/1\.1 200 OK\r\n(?:[^\r\n]+\r\n)*x-request-id: sentinel\r\n(?:[^\r\n]+\r\n)*\r\n.*$/s;
const isClosing = (received: string) => /^connection: close\r$/im.test(received);
const finalHead = /^HTTP\/1\.1 [2-5]\d\d (?:[^\r\n]*\r\n)*\r\n/m;

class Connection {
	readonly #socket: Socket;
	/** The socket on the service's side, in this process. It shows how many bytes the service has read. */
	readonly #peer: Socket;
	readonly #changes = new EventEmitter();
	#received = "";
	#isEnded = false;

	static async open(port: number): Promise<Connection> {
		const accepted = Promise.withResolvers<Socket>();
		const note = (message: unknown) => accepted.resolve((message as { socket: Socket }).socket);
		diagnostics.subscribe("net.server.socket", note);
		const socket = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
		const connection = new Connection(socket, await within("a connection", accepted.promise));
		diagnostics.unsubscribe("net.server.socket", note);
		return connection;
	}

	private constructor(socket: Socket, peer: Socket) {
		[this.#socket, this.#peer] = [socket, peer];
		socket.setEncoding("latin1").on("data", (text: string) => this.#change({ text }));
		for (const event of ["end", "error", "close"]) socket.on(event, () => this.#change({ isEnded: true }));
	}

	#change({ text = "", isEnded = this.#isEnded }): void {
		this.#received += text;
		this.#isEnded = isEnded;
		this.#changes.emit("change");
	}

	/**
	 * Sends packets, then a request with a known reply. When this reply arrives, all earlier replies are complete.
	 */
	async exchange(packets: Buffer[]): Promise<{ received: string; isOpen: boolean }> {
		this.#received = "";
		for (const packet of packets) {
			const read = this.#peer.bytesRead + packet.length;
			if (packet.length === 0) this.#socket.end();
			else this.#socket.write(packet);
			while (packets.length > 1 && this.#peer.bytesRead < read && !this.#peer.destroyed && !isClosing(this.#received))
				await new Promise((resolve) => setImmediate(resolve));
		}
		if (packets.length > 0) await this.#arrived(() => finalHead.test(this.#received));
		const isLast = packets.at(-1)?.length === 0 || isClosing(this.#received);
		if (!isLast && !this.#isEnded) this.#socket.write(sentinel);
		await this.#arrived(() => !isLast && sentinelReply.test(this.#received));
		const received = this.#received.replace(sentinelReply, "");
		return { received, isOpen: received !== this.#received };
	}

	/** Resolves when enough has arrived, or the service has closed the connection. */
	async #arrived(isEnough: () => boolean): Promise<void> {
		while (!this.#isEnded && !isEnough())
			await within(`more than ${JSON.stringify(this.#received)}`, once(this.#changes, "change"), 15_000);
	}

	close(): void {
		this.#socket.destroy();
	}
}

/** Connections that serve requests in turn. A request that must be a connection's first gets a new connection. */
export class Connections {
	readonly #port: number;
	readonly #kept: Connection[] = [];

	constructor(port: number) {
		this.#port = port;
	}

	/** Sends packets. Resolves when all replies to them have arrived. */
	async send(packets: Buffer[], isAlone: boolean): Promise<{ received: string; isOpen: boolean }> {
		const known = isAlone || this.#kept.length < keptConnections ? undefined : this.#kept.shift();
		const connection = known ?? (await Connection.open(this.#port));
		if (!isAlone && !known) await connection.exchange([]);
		const outcome = await connection.exchange(packets);
		if (outcome.isOpen && !isAlone) this.#kept.push(connection);
		else connection.close();
		return outcome;
	}

	close(): void {
		for (const connection of this.#kept) connection.close();
	}
}

/** Header values that belong to one reply. All other values are part of a head that many replies share. */
const ownHeaders = /^(link|etag|location|x-request-id|ratelimit|content-length): (?!<\w+>$)(.*)$/gim;

/** Values that differ from run to run, or change whenever a page is edited. */
const masks: [RegExp, string][] = [
	[/^(date): \w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$/im, "$1: <now>"],
	[/^(x-request-id): [\w-]{8}-[0-9a-z]+$/m, "$1: <new>"],
	[/^(ratelimit: .*;t)=\d+$/m, "$1=<s>"],
	[/^(retry-after): \d{3,}$/m, "$1: <s>"],
	[/^etag: .*(\ncache-control: (?:no-cache|public.*)\n(?:.*\n)*content-length: ).*$/m, "etag: <file>$1<file>"],
	[/^etag: .*(\ncache-control: (?:no-cache|public.*))$/m, "etag: <file>$1"],
	[/127\.0\.0\.1:\d+/g, "127.0.0.1:<port>"],
];

/** @returns for each reply: its head, its own values, and its body or `-` */
export function replyTexts(received: string, wordOfCursor: ReadonlyMap<string, string>): string[] {
	const texts: string[] = [];
	for (let rest = received; rest !== ""; ) {
		const [whole = rest, head = ""] = /^(.*?)\r\n\r\n/s.exec(rest) ?? [];
		rest = rest.slice(whole.length);
		const [, length = "0"] = /^content-length: (\d+)$/im.exec(head) ?? [];
		// A reply to HEAD has no body, so the next reply follows immediately.
		const body = rest.startsWith("HTTP/1.") ? "" : rest.slice(0, Number(length));
		rest = rest.slice(body.length);
		let masked = head
			.replaceAll("\r\n", "\n")
			.replaceAll(/cursor=([\w-]+)/g, (known, cursor) => wordOfCursor.get(cursor) ?? known);
		for (const [pattern, word] of masks) masked = masked.replace(pattern, word);
		if (body !== "") masked = masked.replace(new RegExp(`^(content-length): ${body.length}$`, "im"), "$1: <body>");
		const own = [...masked.matchAll(ownHeaders)].map(([, , value = ""]) => value);
		texts.push(masked.replaceAll(ownHeaders, "$1: <own>"), ...own, bodyText(masked, Buffer.from(body, "latin1")));
	}
	return texts;
}

function bodyText(head: string, bytes: Buffer): string {
	if (bytes.length === 0) return "-";
	if (head.includes("etag: <file>")) return "<the file>";
	const body = /^content-encoding: gzip$/m.test(head) ? gunzipSync(bytes) : bytes;
	const text = body.toString().replace(/try again in \d+ seconds/, "try again in <s> seconds");
	return text.replaceAll("\\", "\\\\").replaceAll("\t", "\\t").replaceAll("\n", "\\n");
}
