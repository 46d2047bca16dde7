// Gets one reply of a server. Replies are checked before a measurement, and reference servers repeat them.

import { Agent, request as open } from "node:http";
import { text } from "node:stream/consumers";
import type { Request } from "./load.ts";

export interface Reply {
	status: number;
	/** The headers, without those that every server adds itself. */
	headers: Record<string, string>;
	body: string;
	/** The size of head and body on the wire. */
	bytes: number;
}

const agent = new Agent({ keepAlive: true });

export function ask(origin: string, { method, path, headers, body }: Request): Promise<Reply> {
	return new Promise((resolve, reject) => {
		const request = open(new URL(path, origin), { method, headers, agent }, async (response) => {
			const body = await text(response);
			const own = Object.entries(response.headers).filter(([name]) => !/^(date|connection|keep-alive)$/.test(name));
			const head = `HTTP/1.1 ${response.statusCode} ${response.statusMessage}\r\n\r\n`;
			const fields = response.rawHeaders.join("").length + response.rawHeaders.length * 2;
			const headers = Object.fromEntries(own.map(([name, value]) => [name, String(value)]));
			resolve({
				status: response.statusCode ?? 0,
				headers,
				body,
				bytes: head.length + fields + Buffer.byteLength(body),
			});
		});
		request.on("error", reject).end(body);
	});
}
