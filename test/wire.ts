// Bytes over a socket and the replies that come back: what a test uses to send what no HTTP client would.

import { connect } from "node:net";

export interface Reply {
	status: number;
	/** Names in lower case; values of repeated fields joined by a comma. */
	headers: Record<string, string>;
	body: string;
}

/** Bounds every exchange; none takes so long unless something hangs. */
const timeoutMs = 15_000;

/** Sends bytes over one connection. @returns all replies, once the server has closed it */
export function exchange(port: number, bytes: Buffer | string, isHead = false): Promise<Reply[]> {
	return new Promise((resolve, reject) => {
		const received: Buffer[] = [];
		const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
		const finish = () => {
			clearTimeout(timer);
			socket.destroy();
			resolve(parseReplies(Buffer.concat(received), isHead));
		};
		const timer = setTimeout(() => {
			socket.destroy();
			reject(new Error(`the connection was still open after ${timeoutMs} ms; received ${Buffer.concat(received)}`));
		}, timeoutMs);
		socket.on("data", (chunk) => received.push(chunk));
		socket.on("end", finish);
		socket.on("error", finish);
	});
}

export function parseReplies(bytes: Buffer, isHead = false): Reply[] {
	const replies: Reply[] = [];
	let rest = bytes;
	for (;;) {
		const end = rest.indexOf("\r\n\r\n");
		if (end < 0) return replies;
		const [statusLine = "", ...lines] = rest.toString("latin1", 0, end).split("\r\n");
		const headers: Record<string, string> = {};
		for (const line of lines) {
			const [, name = "", value = ""] = /^([^:]+): ?(.*)$/.exec(line) ?? [];
			const known = headers[name.toLowerCase()];
			headers[name.toLowerCase()] = known === undefined ? value : `${known}, ${value}`;
		}
		const status = Number(statusLine.split(" ")[1]);
		const length =
			isHead || status < 200 || status === 204 || status === 304 ? 0 : Number(headers["content-length"] ?? 0);
		replies.push({ status, headers, body: rest.toString("utf8", end + 4, end + 4 + length) });
		rest = rest.subarray(end + 4 + length);
	}
}
