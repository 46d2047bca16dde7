// The lower bound of the cost: a bare node:http server that sends fixed bytes. It writes the bodies of all waiting
// POSTs to a file, syncs the file once, and then replies. Argument: a JSON file with the reply for each method.

import { open, readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const replies = JSON.parse(await readFile(process.argv[2] ?? "", "utf8"));
const file = await open(`${process.argv[2]}-log`, "a");
let waiting: { chunks: Buffer[]; response: ServerResponse }[] = [];
let isSyncing = false;

function reply(method: "GET" | "POST", response: ServerResponse): void {
	const { status, headers, body } = replies[method];
	response.writeHead(status, headers);
	response.end(body);
}

function create(request: IncomingMessage, response: ServerResponse): void {
	const chunks: Buffer[] = [];
	request.on("data", (chunk) => chunks.push(chunk));
	request.on("end", () => {
		waiting.push({ chunks, response });
		if (!isSyncing) sync();
	});
}

async function sync(): Promise<void> {
	isSyncing = true;
	while (waiting.length > 0) {
		const batch = waiting;
		waiting = [];
		await file.appendFile(Buffer.concat(batch.flatMap(({ chunks }) => chunks)));
		await file.datasync();
		for (const { response } of batch) reply("POST", response);
	}
	isSyncing = false;
}

const server = createServer((request, response) => {
	if (request.method === "POST") create(request, response);
	else reply("GET", response);
});
server.listen(0, "127.0.0.1", () => {
	console.log(JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
});
process.on("SIGTERM", () => process.exit());
