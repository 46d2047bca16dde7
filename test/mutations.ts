// Seeded mutations of good requests: a seed and a number always give the same bytes. First the parts of a request are changed, so
// that its framing still holds and the change is read; then the bytes, whatever they are.

import { bytesOf, goodRequest, pick, type RequestParts, type World } from "./good-requests.ts";
import {
	byteTokens,
	headerTokens,
	jsonTokens,
	methods,
	otherProtocols,
	targetTokens,
	versions,
} from "./mutation-tokens.ts";
import { seededRandom } from "./random.ts";

export interface MutationCase {
	index: number;
	/** What is sent, piece by piece. */
	segments: Buffer[];
	/** How long to wait before each piece but the first. */
	pauseMs: number;
	/** Closes its side after the last byte, as an impatient client does: then the reply may be lost. */
	isHalfClosed: boolean;
}

type Random = () => number;

/** A part of a text replaced, or a token put into it. */
function changeText(text: string, tokens: readonly string[], random: Random): string {
	const start = Math.floor(random() * (text.length + 1));
	const end = random() < 0.5 ? start : Math.min(text.length, start + Math.floor(random() * 12));
	return random() < 0.15 ? pick(tokens, random) : text.slice(0, start) + pick(tokens, random) + text.slice(end);
}

type PartsChange = (parts: RequestParts, random: Random) => RequestParts;

const addHeader: PartsChange = (parts, random) => {
	const headers = [...parts.headers];
	headers.splice(Math.floor(random() * (headers.length + 1)), 0, pick(headerTokens, random));
	return { ...parts, headers };
};

const changeHeader: PartsChange = (parts, random) => {
	const place = Math.floor(random() * parts.headers.length);
	const tokens = [...byteTokens, ...headerTokens.map(([, value]) => value)];
	return {
		...parts,
		headers: parts.headers.flatMap(([name, value], index): [string, string][] => {
			if (index !== place) return [[name, value]];
			const choice = random();
			if (choice < 0.15) return [];
			if (choice < 0.3)
				return [
					[name, value],
					[pick([name, name.toUpperCase(), `${name} `], random), value],
				];
			if (choice < 0.4) return [[changeText(name, byteTokens, random), value]];
			return [[name, changeText(value, tokens, random)]];
		}),
	};
};

const changeBody: PartsChange = (parts, random) => {
	const text = (parts.body ?? Buffer.alloc(0)).toString("latin1");
	const tokens = random() < 0.8 ? jsonTokens : byteTokens;
	return { ...parts, body: Buffer.from(changeText(text, tokens, random), random() < 0.8 ? "utf8" : "latin1") };
};

const partsChanges: PartsChange[] = [
	(parts, random) => ({ ...parts, method: pick(methods, random) }),
	(parts, random) => ({ ...parts, target: changeText(parts.target, targetTokens, random) }),
	(parts, random) => ({ ...parts, target: changeText(parts.target, targetTokens, random) }),
	(parts, random) => ({ ...parts, target: pick(targetTokens, random) }),
	(parts, random) => ({ ...parts, version: pick(versions, random) }),
	(parts, random) => {
		const [method, target, version] = pick(otherProtocols, random);
		return { ...parts, method, target: random() < 0.5 ? target : parts.target, version };
	},
	addHeader,
	addHeader,
	changeHeader,
	changeHeader,
	changeBody,
	changeBody,
	changeBody,
	(parts, random) => ({ ...parts, chunkBytes: parts.chunkBytes === undefined ? pick([1, 9], random) : undefined }),
];

/** A place, and a later one that is rarely far away. */
function range(bytes: Buffer, random: Random): [number, number] {
	const start = Math.floor(random() * (bytes.length + 1));
	return [start, Math.min(bytes.length, start + Math.ceil(random() ** 3 * 60))];
}

/** The bytes with what lies between two places replaced. */
function replaced(bytes: Buffer, start: number, end: number, by: Buffer): Buffer {
	return Buffer.concat([bytes.subarray(0, start), by, bytes.subarray(end)]);
}

function swapLines(bytes: Buffer, random: Random): Buffer {
	const lines = bytes.toString("latin1").split("\r\n");
	const [one, other] = [Math.floor(random() * lines.length), Math.floor(random() * lines.length)];
	[lines[one], lines[other]] = [lines[other] ?? "", lines[one] ?? ""];
	return Buffer.from(lines.join("\r\n"), "latin1");
}

function repeatLine(bytes: Buffer, random: Random): Buffer {
	const lines = bytes.toString("latin1").split("\r\n");
	const place = Math.floor(random() * lines.length);
	const times = random() < 0.1 ? 300 : 1;
	lines.splice(place, 0, ...Array.from({ length: times }, () => lines[place] ?? ""));
	return Buffer.from(lines.join("\r\n"), "latin1");
}

type BytesChange = (bytes: Buffer, random: Random, other: () => Buffer) => Buffer;

const bytesChanges: BytesChange[] = [
	function flip(bytes, random) {
		const [start] = range(bytes, random);
		const bit = 1 << Math.floor(random() * 8);
		return replaced(bytes, start, start + 1, Buffer.from([(bytes[start] ?? 0) ^ bit]));
	},
	function insert(bytes, random) {
		const [start] = range(bytes, random);
		return replaced(bytes, start, start, Buffer.from([Math.floor(random() * 256)]));
	},
	(bytes, random) => replaced(bytes, ...range(bytes, random), Buffer.alloc(0)),
	function duplicate(bytes, random) {
		const [start, end] = range(bytes, random);
		return replaced(bytes, end, end, bytes.subarray(start, end));
	},
	function swap(bytes, random) {
		const [[one], [other]] = [range(bytes, random), range(bytes, random)];
		const swapped = Buffer.from(bytes);
		if (one < bytes.length && other < bytes.length)
			[swapped[one], swapped[other]] = [bytes[other] ?? 0, bytes[one] ?? 0];
		return swapped;
	},
	swapLines,
	repeatLine,
	function token(bytes, random) {
		const [start, end] = range(bytes, random);
		return replaced(bytes, start, random() < 0.7 ? start : end, Buffer.from(pick(byteTokens, random), "latin1"));
	},
	function header(bytes, random) {
		const start = bytes.indexOf("\r\n") + 2;
		const [name, value] = pick(headerTokens, random);
		return replaced(bytes, start, start, Buffer.from(`${name}: ${value}\r\n`, "latin1"));
	},
	(bytes, random, other) => Buffer.concat([bytes.subarray(0, range(bytes, random)[0]), other()]),
	function splice(bytes, random, other) {
		const second = other();
		return Buffer.concat([bytes.subarray(0, range(bytes, random)[0]), second.subarray(range(second, random)[0])]);
	},
	(bytes, random) => bytes.subarray(0, range(bytes, random)[0]),
];

/** One to four changes; fewer are likelier. */
function times(random: Random): number {
	return 1 + Math.floor(random() ** 3 * 4);
}

/** The key as it is, damaged, or not at all. */
function credential(key: string, random: Random): [string, string][] {
	const choice = random();
	if (choice < 0.2) return [];
	const place = Math.floor(random() * key.length);
	const damaged = key.slice(0, place) + pick(["", "0", "a", "_", " "], random) + key.slice(place + 1);
	return [["Authorization", `${pick(["Bearer", "Bearer", "bearer"], random)} ${choice < 0.4 ? damaged : key}`]];
}

const closing = Buffer.from("GET /livez HTTP/1.1\r\nHost: animals.example\r\nConnection: close\r\n\r\n");

/** Ends with the service closing the connection: it is asked to, by this request, by the next, or by the client's end. */
type Ending = "asks" | "followed" | "half-closed";

export function mutationCase(seed: number, index: number, world: World): MutationCase {
	const random = seededRandom((seed ^ Math.imul(index + 1, 0x9e3779b1)) >>> 0);
	const ending: Ending = pick(["asks", "asks", "asks", "followed", "followed", "half-closed"], random);
	const close: [string, string][] = ending === "asks" ? [["Connection", "close"]] : [];
	const another = () => {
		const parts = goodRequest(world, random);
		return { ...parts, headers: [...parts.headers, ...credential(world.key, random), ...close] };
	};
	const depth = random();
	let parts = another();
	for (let change = depth < 0.8 ? times(random) : 0; change > 0; change--)
		parts = pick(partsChanges, random)(parts, random);
	let bytes = bytesOf(parts);
	for (let change = depth > 0.55 ? times(random) : 0; change > 0; change--)
		bytes = pick(bytesChanges, random)(bytes, random, () => bytesOf(another()));
	if (ending === "followed") bytes = Buffer.concat([bytes, closing]);
	return {
		index,
		segments: segmentsOf(bytes, random),
		pauseMs: pick([0, 0, 0, 20], random),
		isHalfClosed: ending === "half-closed",
	};
}

function segmentsOf(bytes: Buffer, random: Random): Buffer[] {
	const cuts = random() < 0.6 ? 0 : times(random);
	const places = Array.from({ length: cuts }, () => Math.floor(random() * bytes.length)).sort((one, two) => one - two);
	return [0, ...places].map((start, index) => bytes.subarray(start, places[index] ?? bytes.length));
}
