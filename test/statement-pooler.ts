// A pooler as PgBouncer before 1.21 in transaction mode: each transaction goes to the next of two connections to the server,
// and the names of statements pass through unchanged.

import { randomInt } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import type { TestContext } from "node:test";
import pg from "pg";

/** @returns its DATABASE_URL */
export async function startStatementPooler(context: TestContext, databaseUrl: string): Promise<string> {
	const all = [await connectBackend(databaseUrl), await connectBackend(databaseUrl)];
	const free = [...all];
	const waiting: ((backend: Backend) => void)[] = [];
	const take = () => {
		const backend = free.shift();
		return backend ? Promise.resolve(backend) : new Promise<Backend>((resolve) => waiting.push(resolve));
	};
	const giveBack = (backend: Backend) => {
		const next = waiting.shift();
		if (next) next(backend);
		else free.push(backend);
	};
	const pooler = createServer((client) => {
		client.on("error", () => {});
		serve(client, take, giveBack).catch(() => client.destroy());
	});
	pooler.listen(0, "127.0.0.1");
	await once(pooler, "listening");
	context.after(async () => {
		pooler.close();
		for (const { client } of all) client.connection.stream.destroy();
	});
	const url = new URL(databaseUrl);
	url.port = String((pooler.address() as AddressInfo).port);
	return url.href;
}

interface Backend {
	client: pg.Client;
	/** Sends messages up to the end of a statement. @returns the state of the transaction: I, T or E */
	exchange(messages: Buffer, onReply: (reply: Buffer) => void): Promise<string>;
}

/** A connection that the driver has signed in, and whose socket is then used directly. */
async function connectBackend(databaseUrl: string): Promise<Backend> {
	const client = new pg.Client({ connectionString: databaseUrl });
	client.on("error", () => {});
	await client.connect();
	const { stream } = client.connection;
	stream.removeAllListeners("data");
	const replies = messagesOf(stream as Socket);
	return {
		client,
		async exchange(messages, onReply) {
			stream.write(messages);
			for (;;) {
				const { value: reply } = await replies.next();
				if (!reply) throw new Error("the server has gone");
				onReply(reply);
				if (typeOf(reply) === "Z") return String.fromCharCode(reply[5] ?? 0);
			}
		},
	};
}

async function serve(
	client: Socket,
	take: () => Promise<Backend>,
	giveBack: (backend: Backend) => void,
): Promise<void> {
	const messages = messagesOf(client, true);
	await messages.next(); // The start-up message.
	// Signed in, with an identity of the pooler's own, and ready.
	client.write(Buffer.from("R\0\0\0\x08\0\0\0\0", "latin1"));
	const identity = Buffer.from("K\0\0\0\x0c________", "latin1");
	identity.writeUInt32BE(randomInt(2 ** 31), 5);
	client.write(identity);
	client.write(Buffer.from("Z\0\0\0\x05I", "latin1"));
	let backend: Backend | undefined;
	let unit: Buffer[] = [];
	for await (const message of messages) {
		if (typeOf(message) === "X") break;
		unit.push(message);
		if (!/[QS]/.test(typeOf(message))) continue;
		backend ??= await take();
		const state = await backend.exchange(Buffer.concat(unit), (reply) => client.write(reply));
		unit = [];
		if (state === "I") {
			giveBack(backend);
			backend = undefined;
		}
	}
	client.end();
	if (!backend) return;
	await backend.exchange(Buffer.from("Q\0\0\0\x0dROLLBACK\0", "latin1"), () => {});
	giveBack(backend);
}

const typeOf = (message: Buffer) => String.fromCharCode(message[0] ?? 0);

/** The messages of a connection (PostgreSQL manual, 55.2): a letter, and a length that does not include the letter. */
async function* messagesOf(socket: Socket, startsWithoutLetter = false): AsyncGenerator<Buffer, undefined> {
	let bytes = Buffer.alloc(0);
	let letterBytes = startsWithoutLetter ? 0 : 1;
	for await (const chunk of socket) {
		bytes = Buffer.concat([bytes, chunk]);
		while (bytes.length >= letterBytes + 4) {
			const length = letterBytes + bytes.readUInt32BE(letterBytes);
			if (bytes.length < length) break;
			yield bytes.subarray(0, length);
			bytes = bytes.subarray(length);
			letterBytes = 1;
		}
	}
	return undefined;
}
