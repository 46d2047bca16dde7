// Requests through Prism, which validates them and their replies, with the steps and the output that all generated
// clients share. Prism reports violations of the document in the header sl-violations.

import { spawn } from "node:child_process";

const {
	ANIMAL_STORE_URL: url = "",
	ANIMAL_STORE_KEY: key = "",
	PRISM: prism = "",
	PRISM_PORT: port = "",
} = process.env;
const proxy = spawn(prism, ["proxy", "openapi.json", url, "--port", port], { stdio: ["ignore", "pipe", "inherit"] });
await new Promise<void>((resolve, reject) => {
	proxy.stdout.on("data", (text) => String(text).includes("is listening") && resolve());
	proxy.once("close", () => reject(new Error("Prism ended")));
});

async function call(path: string, init: RequestInit = {}, token = key) {
	const headers = { Authorization: `Bearer ${token}`, ...init.headers };
	const reply = await fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers });
	const violations: { message: string }[] = JSON.parse(reply.headers.get("sl-violations") ?? "[]");
	// Prism refuses an int64 that JavaScript would round.
	const others = violations.filter(({ message }) => !message.endsWith("categoryId must be <= 9007199254740991"));
	if (others.length > 0) throw new Error(`${path} ${reply.status}: ${JSON.stringify(others)}`);
	return { links: reply.headers.get("link") ?? "", text: await reply.text() };
}

const countIn = (text: string) => JSON.parse(text).length;
const categoryIn = (text: string) => /"categoryId":(-?\d+)/.exec(text)?.[1];

try {
	console.log(`list ${countIn((await call("/pets")).text)}`);
	console.log(`filter ${countIn((await call("/pets?status=sold")).text)}`);
	let count = 0;
	let cursor: string | undefined = "";
	while (cursor !== undefined) {
		const { text, links } = await call(`/pets?limit=2${cursor}`);
		count += countIn(text);
		cursor = /[?](?:[^>]*)(&cursor=[^>&]+)[^>]*>; rel="next"/.exec(links)?.[1];
	}
	console.log(`page ${count}`);
	const headers = { "Content-Type": "application/json", "Idempotency-Key": crypto.randomUUID() };
	const body = '{"name":"Rex","categoryId":9007199254740993,"status":"available"}';
	const created = await call("/pets", { method: "POST", headers, body });
	console.log(`create ${categoryIn(created.text)}`);
	console.log(`get ${categoryIn((await call(`/pets/${JSON.parse(created.text).id}`)).text)}`);
	for (const refused of [call("/pets?cursor=garbage"), call("/pets", {}, "unknown"), call("/pets/999")]) {
		const { status, code } = JSON.parse((await refused).text);
		console.log(`${status} ${code}`);
	}
} finally {
	proxy.kill();
}
