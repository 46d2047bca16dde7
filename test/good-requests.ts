// Good requests of every kind, in parts: what the fuzzer starts from.

export interface RequestParts {
	method: string;
	target: string;
	version: string;
	headers: [name: string, value: string][];
	body?: Buffer;
	/** How the body is cut into chunks; without it a Content-Length announces the body. */
	chunkBytes?: number;
}

/** What a request can name of the store that it is sent to. */
export interface World {
	key: string;
	cursors: string[];
	tags: string[];
}

/** In the name of every animal that a good request creates: no reply without the key may hold it. */
export const canary = "canary-3Zq9";

/** A choice from what there is, by a random number from 0 to 1. */
export function pick<Item>(items: readonly Item[], random: () => number): Item {
	return items[Math.floor(random() * items.length)] as Item;
}

const statuses = [undefined, "available", "pending", "sold"];
const limits = [undefined, "1", "2", "20", "100"];

function listTarget(world: World, random: () => number): string {
	const cursor = random() < 0.3 ? pick(world.cursors, random) : undefined;
	const query = Object.entries({ limit: pick(limits, random), status: pick(statuses, random), cursor });
	const given = query.flatMap(([name, value]) => (value === undefined ? [] : `${name}=${value}`));
	return `/v1/pets${given.length > 0 ? `?${given.join("&")}` : ""}`;
}

function newPet(random: () => number): Buffer {
	const status = pick(statuses, random);
	const pet = {
		name: `${canary} ${pick(["Rex", "ß 🐾", 'a \\"b\\" \u0301', "x".repeat(200)], random)}`,
		...(status && { status }),
		...(random() < 0.2 && { id: 7, isAdmin: true, tags: [{ deep: [[null, true]] }] }),
	};
	const categoryId = pick(["1", "-9223372036854775808", "9223372036854775807", "1.0", "1e3"], random);
	return Buffer.from(`{"categoryId":${categoryId},${JSON.stringify(pet).slice(1)}`);
}

const get = (target: string, headers: RequestParts["headers"] = []): RequestParts => ({
	method: "GET",
	target,
	version: "HTTP/1.1",
	headers,
});

function createPet(random: () => number): RequestParts {
	return {
		...get("/v1/pets", [["Content-Type", pick(["application/json", "application/json; charset=utf-8"], random)]]),
		method: "POST",
		body: newPet(random),
		...(random() < 0.4 && { chunkBytes: pick([1, 7, 40, 1000], random) }),
	};
}

const openPaths = ["/livez", "/readyz", "/openapi.json", "/docs", "/console", "/console/", "/", "/nothing"];

const kinds: ((world: World, random: () => number) => RequestParts)[] = [
	(world, random) => get(listTarget(world, random)),
	(world, random) => get(listTarget(world, random), [["If-None-Match", pick(world.tags, random)]]),
	(world, random) => ({ ...get(listTarget(world, random)), method: "HEAD" }),
	(_, random) => get(pick(["/v1/pets/1", "/v1/pets/%31", "/v1/pets/2", "/v1/pets/999999"], random)),
	(world, random) => get("/v1/pets/1", [["If-None-Match", pick(["*", `W/${pick(world.tags, random)}`], random)]]),
	(_, random) => ({ ...get(pick(["/v1/pets/1", "/livez", "/openapi.json"], random)), method: "HEAD" }),
	(_, random) => createPet(random),
	(_, random) => createPet(random),
	(_, random) => createPet(random),
	(_, random) => {
		const parts = createPet(random);
		const key: [string, string] = ["Idempotency-Key", pick(["a", '"b"', "c".repeat(255)], random)];
		return { ...parts, headers: [...parts.headers, key] };
	},
	(_, random) => {
		const parts = createPet(random);
		return { ...parts, headers: [...parts.headers, ["Expect", "100-continue"]] };
	},
	(_, random) => ({ ...get(pick(["/v1/pets", "/v1/pets/1", "*", "/livez"], random)), method: "OPTIONS" }),
	(_, random) => get(`http://${pick(["animals.example", "[::1]:80"], random)}/v1/pets`),
	() => ({ ...get("/v1/pets"), version: "HTTP/1.0" }),
	(_, random) => get(pick(openPaths, random)),
];

/** One good request; whether it carries the key is the caller's choice. */
export function goodRequest(world: World, random: () => number): RequestParts {
	const parts = pick(kinds, random)(world, random);
	return { ...parts, headers: [["Host", "animals.example"], ...parts.headers] };
}

/** The bytes of a request, with the framing that its body needs. */
export function bytesOf({ method, target, version, headers, body, chunkBytes }: RequestParts): Buffer {
	const framing: [string, string][] =
		body === undefined
			? []
			: chunkBytes === undefined
				? [["Content-Length", String(body.length)]]
				: [["Transfer-Encoding", "chunked"]];
	const lines = [...headers, ...framing].map(([name, value]) => `${name}: ${value}\r\n`);
	const head = Buffer.from(`${method} ${target} ${version}\r\n${lines.join("")}\r\n`, "latin1");
	if (body === undefined) return head;
	return Buffer.concat([head, chunkBytes === undefined ? body : chunked(body, chunkBytes)]);
}

function chunked(body: Buffer, bytes: number): Buffer {
	const pieces: Buffer[] = [];
	for (let start = 0; start < body.length; start += bytes) {
		const piece = body.subarray(start, start + bytes);
		pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n"));
	}
	return Buffer.concat([...pieces, Buffer.from("0\r\n\r\n")]);
}
