// Seeded mutations of the corpus's requests: a seed and a number always give the same bytes.

import { readFamilies } from "./corpus.ts";
import { packetsOf } from "./corpus-wire.ts";
import { pick, seededRandom } from "./random.ts";

export interface MutationCase {
	index: number;
	/** What is sent, piece by piece. */
	segments: Buffer[];
	/** How long to wait before each piece but the first. */
	pauseMs: number;
	/** Closes its side after the last byte, as an impatient client does: then the reply may be lost. */
	isHalfClosed: boolean;
}

/** What a request can name of the store that it is sent to. */
export interface World {
	key: string;
	cursor: string;
}

type Random = () => number;

/** Longer ones are about limits, which the corpus crosses. */
const longestBytes = 5000;
const goodKeys = ["full", "other", "read", "write", "expiring", "rated"];

/** The corpus's requests that are not malformed, as latin1 texts, with this store's key and cursor. */
export function corpusRequests({ key, cursor }: World): string[] {
	return readFamilies().flatMap(({ cases, words }) => {
		const known = new Map([["nothing", ""], ...Object.entries(words), ...goodKeys.map((name) => [name, key] as const)]);
		return cases
			.filter(({ recorded: [head = ""] }) => !head.startsWith("400"))
			.map(({ request }) => packetsOf(request.replaceAll(/\{cursor [^}]*\}/g, cursor), known))
			.map((packets) => Buffer.concat(packets).toString("latin1"))
			.filter(({ length }) => length < longestBytes);
	});
}

/** A place, and a later one that is rarely far away. */
function range({ length }: string, random: Random): [number, number] {
	const start = Math.floor(random() * (length + 1));
	return [start, Math.min(length, start + Math.ceil(random() ** 3 * 60))];
}

type Change = (text: string, random: Random, other: string) => string;

/** Changes each line of the head, and of what follows it, as a list. */
const ofLines =
	(change: (lines: string[], random: Random, others: string[]) => void): Change =>
	(text, random, other) => {
		const lines = text.split("\r\n");
		change(lines, random, other.split("\r\n"));
		return lines.join("\r\n");
	};

const place = (lines: string[], random: Random) => Math.floor(random() * lines.length);

/** A word in the place of another: the framing holds, and the change is read. */
function swapWord(text: string, random: Random, other: string): string {
	const words = [...text.matchAll(word)];
	const { 0: before = "", index } = words[Math.floor(random() * words.length)] ?? { index: 0 };
	const [by = ""] = pick([...other.matchAll(word)], random) ?? [];
	return text.slice(0, index) + by + text.slice(index + before.length);
}
const word = /[^\s:;,="'?&/{}[\]]+/g;

const changes: Change[] = [
	...[swapWord, swapWord, swapWord, swapWord, swapWord, swapWord],
	function flipBit(text, random) {
		const [at] = range(text, random);
		const flipped = text.charCodeAt(at) ^ (1 << Math.floor(random() * 8));
		return text.slice(0, at) + (at < text.length ? String.fromCharCode(flipped) : "") + text.slice(at + 1);
	},
	function insertByte(text, random) {
		const [at] = range(text, random);
		return text.slice(0, at) + String.fromCharCode(Math.floor(random() * 256)) + text.slice(at);
	},
	function remove(text, random) {
		const [start, end] = range(text, random);
		return text.slice(0, start) + text.slice(end);
	},
	function repeat(text, random) {
		const [start, end] = range(text, random);
		return text.slice(0, end) + text.slice(start);
	},
	function take(text, random, other) {
		const [[at, end], taken] = [range(text, random), range(other, random)];
		return text.slice(0, at) + other.slice(...taken) + text.slice(random() < 0.5 ? at : end);
	},
	(text, random, other) => text.slice(0, range(text, random)[0]) + other.slice(range(other, random)[0]),
	(text, random, other) => text.slice(0, range(text, random)[0]) + other,
	(text, random) => text.slice(0, range(text, random)[0]),
	ofLines((lines, random, others) => lines.splice(place(lines, random), 0, others[place(others, random)] ?? "")),
	ofLines((lines, random, others) => lines.splice(place(lines, random), 1, others[place(others, random)] ?? "")),
	ofLines((lines, random) => lines.splice(place(lines, random), 1)),
	ofLines((lines, random) => {
		const at = place(lines, random);
		lines.splice(at, 0, ...Array.from({ length: random() < 0.1 ? 300 : 1 }, () => lines[at] ?? ""));
	}),
];

/** With a Content-Length that fits a changed body, so that the body is read. */
function withLength(text: string): string {
	const length = text.length - (text.indexOf("\r\n\r\n") + 4);
	return text.replace(/^(content-length: )\d+/im, (_, name) => name + length);
}

/** One to four; fewer are likelier. */
const few = (random: Random) => 1 + Math.floor(random() ** 3 * 4);

const closing = "GET /livez HTTP/1.1\r\nHost: animals.example\r\nConnection: close\r\n\r\n";

export function mutationCase(seed: number, index: number, requests: readonly string[]): MutationCase {
	const random = seededRandom((seed ^ Math.imul(index + 1, 0x9e3779b1)) >>> 0);
	let text = pick(requests, random);
	for (let change = few(random); change > 0; change--)
		text = pick(changes, random)(text, random, pick(requests, random));
	if (random() < 0.6) text = withLength(text);
	// The service closes the connection: the last request asks it to, or the client closes its side.
	const isHalfClosed = random() < 0.2;
	return {
		index,
		segments: segmentsOf(Buffer.from(isHalfClosed ? text : text + closing, "latin1"), random),
		pauseMs: pick([0, 0, 0, 20], random),
		isHalfClosed,
	};
}

function segmentsOf(bytes: Buffer, random: Random): Buffer[] {
	const cuts = random() < 0.6 ? 0 : few(random);
	const places = Array.from({ length: cuts }, () => Math.floor(random() * bytes.length)).sort((one, two) => one - two);
	return [0, ...places].map((start, index) => bytes.subarray(start, places[index] ?? bytes.length));
}
