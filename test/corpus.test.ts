// The corpus of raw requests: each reply on the wire is the recorded one, byte for byte, and the connection stays open or is closed
// as recorded. Anything that changes a byte of a reply fails here and shows where. `WRITE_CORPUS=1 npm test -- test/corpus.test.ts`
// records the replies anew; the difference in test/corpus is then the change.

import assert from "node:assert/strict";
import { after, type TestContext, test } from "node:test";
import { createCursors } from "../src/http/paging.ts";
import { createKey, revokeKey } from "../src/keys/issue.ts";
import { keyFromRandom } from "../src/keys/key-format.ts";
import { endOfList } from "../src/store/store.ts";
import { type Case, type CorpusFile, corpusFiles, outcomeText, recordedOutcome, writeCorpus } from "./corpus-files.ts";
import { corpusReplies, createSender, piecesOf } from "./corpus-wire.ts";
import { type TestService, testService } from "./service.ts";

const files = corpusFiles();
const isWriting = process.env["WRITE_CORPUS"] === "1" && process.env["TEST_ENGINE"] === undefined;

for (const file of files) {
	test(`each reply of test/corpus/${file.name} is the recorded one, byte for byte`, async (context) => {
		const { TIMEOUT_MS, ...environment } = file.settings;
		const service = await testService(context, {
			environment: { CONNECTIONS_PER_ADDRESS: "0", ...environment },
			...(TIMEOUT_MS && { timeouts: { headersMs: Number(TIMEOUT_MS), requestMs: 2 * Number(TIMEOUT_MS) } }),
		});
		const words = { ...file.words, ...(await populate(service)) };
		await ask(context, service, file.cases, words);
		const failures = service.log.filter(({ level }) => level === "error" || level === "fatal");
		assert.deepEqual(failures, [], "no request makes the service fail");
		if (!isWriting) assertRecorded(file, words);
	});
}

after(() => {
	if (isWriting) writeCorpus(files);
});

const day = 86_400_000;
const key = (name: string) => keyFromRandom(Buffer.alloc(32, name));

/** Keys of every kind, and animals for two pages. @returns the words for them */
async function populate({ store, issuer, clock }: TestService): Promise<Record<string, string>> {
	clock.nowMs = Date.parse("2026-12-01T00:00:00.000Z");
	const scopes = ["pets:read", "pets:write"];
	const kinds: Record<string, { scopes: string[]; expiresInMs?: number; rate?: string }> = {
		full: { scopes: [...scopes, "metrics:read"] },
		other: { scopes },
		read: { scopes: ["pets:read"] },
		write: { scopes: ["pets:write"] },
		metrics: { scopes: ["metrics:read"] },
		expired: { scopes, expiresInMs: day },
		expiring: { scopes, expiresInMs: 100 * day },
		rated: { scopes, rate: "5/1d" },
		revoked: { scopes },
	};
	for (const [name, kind] of Object.entries(kinds)) {
		const { id } = await createKey(issuer, { name, key: key(name), ...kind });
		if (name === "revoked") await revokeKey(issuer, id);
	}
	const statuses = [undefined, "available", "pending", "sold", "available"] as const;
	for (let number = 1; number <= 23; number++) {
		const status = statuses[number % 5];
		await store.createPet({ name: `${number}`, categoryId: BigInt(number % 3), ...(status && { status }) });
	}
	return Object.fromEntries([...Object.keys(kinds), "unknown"].map((name) => [name, key(name)]));
}

async function ask(context: TestContext, service: TestService, cases: Case[], words: Record<string, string>) {
	const cursors = createCursors(service.store.cursorSecret);
	const send = createSender(context, service.port);
	const cursorOf = (id: string, status: "available" | "pending" | "sold" | undefined) =>
		cursors.write(
			id === "last" ? { upTo: endOfList } : id.startsWith("-") ? { upTo: BigInt(id.slice(1)) } : { after: BigInt(id) },
			status,
		);
	for (const one of cases) {
		service.clock.nowMs = Date.parse(one.at);
		const pieces = piecesOf(one.request, words, cursorOf);
		const { received, isOpen } = await send(pieces, one.template.endsWith("*")).catch((cause: Error) => {
			throw new Error(`row ${one.row + 1}, template ${one.template}: ${cause.message}`, { cause });
		});
		one.outcome = { replies: corpusReplies(received, service.port, cursors), isOpen };
	}
}

const shownMax = 5;

function assertRecorded({ name, cases, lines }: CorpusFile, words: Record<string, string>): void {
	const changed = cases.filter((one) => one.outcome && recordedOutcome(one).text !== outcomeText(one.outcome));
	const shown = changed.slice(0, shownMax).map((one) => {
		const sent = piecesOf(one.request, words).map((piece) => JSON.stringify(piece.toString("latin1")).slice(1, -1));
		const [expected, actual] = [recordedOutcome(one).text, one.outcome ? outcomeText(one.outcome) : ""];
		const at = `test/corpus/${name}:${one.row + 1} ${lines[one.row]?.slice(0, 100)}, template ${one.template}`;
		return `${at}\n> ${sent.join(" | ").slice(0, 1000)}\n${differenceOf(expected, actual)}`;
	});
	if (changed.length === 0) return;
	const more = changed.length > shownMax ? `\n… and ${changed.length - shownMax} more cases` : "";
	const hint =
		"if the change is wanted: WRITE_CORPUS=1 npm test -- test/corpus.test.ts, then look at git diff test/corpus";
	assert.fail(`${changed.length} of ${cases.length} cases changed\n\n${shown.join("\n")}${more}\n\n${hint}`);
}

/** The lines of both, with - for those that only the first has, and + for those that only the second has. */
function differenceOf(expected: string, actual: string): string {
	const [before = [], now = []] = [expected, actual].map((text) => text.trimEnd().split("\n"));
	const result: string[] = [];
	for (let [left, right] = [0, 0]; left < before.length || right < now.length; ) {
		const isSame = before[left] === now[right];
		const isRemoved = left < before.length && (right >= now.length || !now.includes(before[left] ?? "", right));
		const line = isSame || isRemoved ? before[left] : now[right];
		result.push(`${isSame ? " " : isRemoved ? "-" : "+"} ${line}`);
		if (isSame || isRemoved) left++;
		if (isSame || !isRemoved) right++;
	}
	return result.join("\n");
}
