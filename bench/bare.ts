// The first yardstick: bare node:http that answers given bytes, and reads a body where one comes. Argument: a JSON file
// with the status, headers and body that the service itself replied.

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const { status, headers, body } = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
const server = createServer((request, response) => {
	const reply = () => {
		response.writeHead(status, headers);
		response.end(body);
	};
	if (request.method === "POST") request.on("data", () => {}).on("end", reply);
	else reply();
});
server.listen(0, "127.0.0.1", () => {
	console.log(JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
});
process.on("SIGTERM", () => process.exit());
