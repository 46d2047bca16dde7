// The corpus of raw requests: each reply is the recorded one, byte for byte, and the connection stays open or is closed
// as recorded. A test fails if any byte of a reply changes, and its message shows the change.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { diff } from "node:util";
import { petStatuses } from "../../src/contract/pet.ts";
import { createCursors } from "../../src/http/paging.ts";
import { keyFromRandom } from "../../src/keys/formats.ts";
import { createKey, revokeKey } from "../../src/keys/issue.ts";
import { endOfList, type PagePosition } from "../../src/store/store.ts";
import { type TestService, testService } from "../support/service.ts";
import { type Case, type Family, readFamilies, textsOf, wireText, writeFamilies } from "./corpus.ts";
import { Connections, packetsOf, replyTexts } from "./corpus-wire.ts";

const families = readFamilies();
const isPostgres = process.env["TEST_ENGINE"] === "postgres";
const isWriting = process.env["WRITE_CORPUS"] === "1" && !isPostgres;
/** The families whose replies depend on what the store keeps. */
const ofStore = ["idempotency", "reading"].map((name) => `${name}.requests.txt`);
const hint =
	"if this is intended: WRITE_CORPUS=1 npm test -- test/contract/corpus.test.ts, then look at git diff test/contract/corpus";

for (const family of families.filter(({ name }) => !isPostgres || ofStore.includes(name))) {
	test(`each reply of test/contract/corpus/${family.name} is the recorded one, byte for byte`, async (context) => {
		const { TIMEOUT_MS, ...environment } = family.settings;
		const service = await testService(context, {
			environment: { CONNECTIONS_PER_ADDRESS: "0", ...environment },
			mixes: false,
			...(TIMEOUT_MS && { timeouts: { headersMs: Number(TIMEOUT_MS), requestMs: 2 * Number(TIMEOUT_MS) } }),
		});
		const cursors = cursorWords(service);
		const words = new Map([["nothing", ""], ...Object.entries(family.words), ...(await populate(service)), ...cursors]);
		await ask(service, family.cases, words);
		const failures = service.log.filter(({ level }) => level === "error" || level === "fatal");
		assert.deepEqual(failures, [], "no request makes the service fail");
		if (!isWriting) assertRecorded(family, words);
	});
}

after(() => {
	if (isWriting) writeFamilies(families);
});

const scopes = ["pets:read", "pets:write"];
const dayMs = 86_400_000;
const keys: Record<string, { scopes: string[]; expiresInMs?: number; rate?: string }> = {
	full: { scopes: [...scopes, "metrics:read"] },
	other: { scopes },
	read: { scopes: ["pets:read"] },
	write: { scopes: ["pets:write"] },
	metrics: { scopes: ["metrics:read"] },
	expired: { scopes, expiresInMs: dayMs },
	expiring: { scopes, expiresInMs: 100 * dayMs },
	rated: { scopes, rate: "5/1d" },
	revoked: { scopes },
};

/** Adds keys of every kind, and animals for two pages. @returns the corpus's words for the keys */
async function populate({ store, issuer, clock }: TestService): Promise<[string, string][]> {
	clock.nowMs = Date.parse("2026-12-01T00:00:00.000Z");
	const keyOf = (name: string) => keyFromRandom(Buffer.alloc(32, name));
	const words = [...Object.keys(keys), "unknown"].map((name): [string, string] => [name, keyOf(name)]);
	for (const [name, key] of words) {
		const kind = keys[name];
		const sameEachTime = { ...issuer, random: (bytes: number) => Buffer.alloc(bytes, name) };
		const { id } = kind ? await createKey(sameEachTime, { name, key, ...kind }) : { id: "" };
		if (name === "revoked") await revokeKey(issuer, id);
	}
	const statuses = [undefined, "available", "pending", "sold", "available"] as const;
	for (let number = 1; number <= 23; number++) {
		const status = statuses[number % 5];
		await store.createPet({ name: `${number}`, categoryId: BigInt(number % 3), ...(status && { status }) });
	}
	return words;
}

/** `cursor 5 sold` is for the page after id 5, `cursor -5` for the page up to id 5, `cursor last` for the last page. */
function cursorWords({ store }: TestService): [string, string][] {
	const cursors = createCursors(store.cursorSecret);
	const ids = [...Array.from({ length: 150 }, (_, id) => BigInt(id)), 1000n, 1_000_000n, 2n ** 63n - 1n];
	return [undefined, ...petStatuses].flatMap((status) => {
		const word = (name: unknown, position: PagePosition): [string, string] => [
			`cursor ${name}${status ? ` ${status}` : ""}`,
			cursors.write(position, { status }),
		];
		const pages = ids.flatMap((id) => [word(id, { after: id }), word(`-${id}`, { upTo: id })]);
		return [...pages, word("last", { upTo: endOfList })];
	});
}

async function ask({ port, clock }: TestService, cases: Case[], words: ReadonlyMap<string, string>): Promise<void> {
	const wordOf = new Map([...words].map(([word, value]) => [value, `cursor={${word}}`]));
	const connections = new Connections(port);
	for (const one of cases) {
		clock.nowMs = Date.parse(one.at);
		const sent = connections.send(packetsOf(one.request, words), one.template.endsWith("*"));
		const { received, isOpen } = await sent.catch((cause: Error) => {
			throw new Error(`row ${one.row + 1}, template ${one.template}: ${cause.message}`, { cause });
		});
		one.received = [...replyTexts(received, wordOf), isOpen ? "open" : "closed"];
	}
	connections.close();
}

const shownMax = 5;

function assertRecorded({ name, cases, lines }: Family, words: ReadonlyMap<string, string>): void {
	const changed = cases.filter((one) => textsOf(one).join("\t") !== one.received.join("\t"));
	const shown = changed.slice(0, shownMax).map((one) => {
		const sent = packetsOf(one.request, words).map((packet) => JSON.stringify(packet.toString("latin1")));
		const [before, now] = [textsOf(one), one.received].map((texts) => wireText(texts).split("\n"));
		const lineOf = ([kind, line]: [number, string]) => `${kind < 0 ? "-" : kind > 0 ? "+" : " "} ${line}`;
		const difference = diff(now ?? [], before ?? []).map(lineOf);
		const at = `test/contract/corpus/${name}:${one.row + 1} ${lines[one.row]?.slice(0, 100)}, template ${one.template}`;
		return [at, `> ${sent.join(" ").slice(0, 1000)}`, ...difference, ""].join("\n");
	});
	const more = changed.length > shownMax ? `… and ${changed.length - shownMax} more\n` : "";
	const count = `${changed.length} of ${cases.length} cases changed (- recorded, + now)`;
	assert.ok(changed.length === 0, `${count}\n\n${shown.join("\n")}${more}${hint}`);
}
