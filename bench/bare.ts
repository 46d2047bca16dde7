// The first yardstick: a bare node:http server that reads the body and sends fixed bytes. Argument: a JSON file with
// the status, headers and body of a reply of the service.

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
