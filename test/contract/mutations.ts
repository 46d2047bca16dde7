// Mutations of the corpus's requests. The same seed and number always give the same bytes.

import { pick, seededRandom } from "../support/random.ts";
import { readFamilies } from "./corpus.ts";
import { packetsOf } from "./corpus-wire.ts";

export interface MutationCase {
	index: number;
	/** The bytes to send, in pieces. */
	segments: Buffer[];
	/** The pause before each piece except the first. */
	pauseMs: number;
	/** Whether the client closes its side after the last byte. */
	isHalfClosed: boolean;
}

/** Values of the store that requests can contain. */
export interface World {
	key: string;
	cursor: string;
}

type Random = () => number;

/** Longer requests are left out: they test limits, and the corpus already does so. */
const longestBytes = 5000;
const goodKeys = ["full", "other", "read", "write", "expiring", "rated"];

/** The well-formed requests of the corpus, as Latin-1 texts, with this store's key and cursor. */
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

/** A change affects words, lines or bytes. Mostly it affects words, because then the framing usually stays valid. */
const word = /([^\s:;,="'?&/{}[\]]+)/;
const units = [word, word, /(?<=\r\n)/, ""];

/** A random range, which is rarely long. */
function range({ length }: string[], random: Random): [number, number] {
	const start = Math.floor(random() * (length + 1));
	return [start, Math.min(length, start + Math.ceil(random() ** 3 * 60))];
}

/** Removes, repeats or replaces a part of the text; sometimes also replaces the rest by the end of another request. */
function changed(text: string, random: Random, other: string): string {
	const unit = pick(units, random);
	const [parts, others] = [text.split(unit), other.split(unit)];
	const [start, end] = random() < 0.5 ? range(parts, random) : oneOf(parts, random);
	const [first, last] = random() < 0.5 ? range(others, random) : oneOf(others, random);
	const old = parts.slice(start, end);
	const by = pick(
		[[], [...old, ...old], Array(300).fill(old.join("")), others.slice(first, last), [byte(random)]],
		random,
	);
	const rest = random() < 0.1 ? others.slice(last) : parts.slice(end);
	return [...parts.slice(0, start), ...by, ...rest].join("");
}

function oneOf({ length }: string[], random: Random): [number, number] {
	const at = Math.floor(random() * length);
	return [at, at + 1];
}

const byte = (random: Random) => String.fromCharCode(Math.floor(random() * 256));

/** Corrects the Content-Length of a changed body, so that the body is read. */
function withLength(text: string): string {
	const length = text.length - (text.indexOf("\r\n\r\n") + 4);
	return text.replace(/^(content-length: )\d+/im, (_, name) => name + length);
}

/** A random number from one to four; smaller numbers are likelier. */
const few = (random: Random) => 1 + Math.floor(random() ** 3 * 4);

const closing = "GET /livez HTTP/1.1\r\nHost: animals.example\r\nConnection: close\r\n\r\n";

export function mutationCase(seed: number, index: number, requests: readonly string[]): MutationCase {
	const random = seededRandom((seed ^ Math.imul(index + 1, 0x9e3779b1)) >>> 0);
	let text = pick(requests, random);
	for (let change = few(random); change > 0; change--) text = changed(text, random, pick(requests, random));
	if (random() < 0.6) text = withLength(text);
	// Either the client closes its side, or a last request asks the service to close the connection.
	const isHalfClosed = random() < 0.2;
	const bytes = Buffer.from(isHalfClosed ? text : text + closing, "latin1");
	const cuts = Array.from({ length: random() < 0.6 ? 0 : few(random) }, () => Math.floor(random() * bytes.length));
	const places = [0, ...cuts.sort((one, two) => one - two)];
	const segments = places.map((start, place) => bytes.subarray(start, places[place + 1]));
	return { index, segments, pauseMs: pick([0, 0, 0, 20], random), isHalfClosed };
}
