// What functions do with texts that people, programs and other services write.

import { hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { parseDuration, parseInt64, parseIntegerUpTo, parsePrintable } from "../../src/cli/arguments.ts";
import { type ConnectionOptions, readConnection } from "../../src/cli/connection.ts";
import { secondsOf } from "../../src/cli/long-work.ts";
import { quoteWord } from "../../src/cli/output.ts";
import { readConfig } from "../../src/config.ts";
import { parseDurationMs, parseRate } from "../../src/contract/durations.ts";
import { comparedName, foldedText } from "../../src/contract/equal-texts.ts";
import { parseJson } from "../../src/contract/json.ts";
import { printable, traceIdOf } from "../../src/contract/observed.ts";
import { operations } from "../../src/contract/operations.ts";
import { checkFields, checkTexts, integerOfText } from "../../src/contract/validate.ts";
import { idName, isKind, knownName, mayBeName, plainName, rankOf, sexes } from "../../src/files/column-words.ts";
import { isDamaged } from "../../src/files/encoding.ts";
import { describeInFile, describeRow } from "../../src/files/fault-words.ts";
import { detectKind } from "../../src/files/formats.ts";
import { sendBatch } from "../../src/files/import-request.ts";
import { proposeColumns } from "../../src/files/proposals.ts";
import { isOfRejection, rejectedRow } from "../../src/files/rejected-rows.ts";
import { rowHasher } from "../../src/files/row-content.ts";
import { exampleOf, readRows } from "../../src/files/rows.ts";
import { isNoName, isNothing, isWord, plainValue, proposeCategory, proposeStatus } from "../../src/files/values.ts";
import { digitsOfStyles, mergesOf, numberOf, withZeros } from "../../src/files/workbook-cells.ts";
import { readIdempotencyKey } from "../../src/http/checks.ts";
import { acceptsGzip, matchesTag } from "../../src/http/content.ts";
import { createQueryReader } from "../../src/http/input.ts";
import { createCursors, pageLinks } from "../../src/http/paging.ts";
import { createBaseUrlOf, isHost, parseTrustedProxies } from "../../src/http/proxies.ts";
import { withoutKeys } from "../../src/http/reply-watch.ts";
import { networkOf } from "../../src/http/traffic.ts";
import { isWellFormedKey } from "../../src/keys/formats.ts";
import { formatForTerminal } from "../../src/ops/log.ts";
import { cpuQuota } from "../../src/ops/processor.ts";
import { settings } from "../../src/settings.ts";
import { nameOfServer, parsePostgresUrl, withoutPassword } from "../../src/store/postgres/url.ts";
import { nameOfPage, pageSql } from "../../src/store/reads.ts";
import { isBackup, timeOfBackup } from "../../src/store/sqlite/backup-files.ts";
import type { PetPage } from "../../src/store/store.ts";
import { type Do, outcomesIn } from "../support/outcomes.ts";
import { sourceOf } from "../support/read-rows.ts";

/** Addresses inside and outside of networks that TRUST_PROXY names, and a text that is no address. */
const ofPeers = [
	"127.0.0.1",
	"::1",
	"10.1.2.3",
	"192.0.2.7",
	"192.0.3.7",
	"169.254.9.9",
	"fc00::2",
	"2001:db8::9",
	"x",
];
const readers = Object.entries(settings).map(([name, { read }]): [string, Do] => [name, read]);
const query = createQueryReader(operations.listPets.query);
const cursors = createCursors(Buffer.alloc(32, "outcomes"));
const baseUrlOf = createBaseUrlOf({ baseUrl: undefined, isTrustedProxy: () => true, log: { warn() {} } });

/** A request with these headers, one in each line. */
function baseUrl(text: string): string {
	const headers = Object.fromEntries(text.split("\n").map((line) => line.split(": ")));
	return baseUrlOf({
		headers,
		socket: { remoteAddress: "10.0.0.1", localAddress: "::1", localPort: 80 },
	} as IncomingMessage);
}

/** Reads settings, one in each line. */
function settingsTogether(text: string): object {
	const { given: _given, ...config } = readConfig(Object.fromEntries(text.split("\n").map((line) => line.split("="))));
	return config;
}

const functions: Record<string, Do> = {
	...Object.fromEntries(readers),
	TRUST_PROXY: (text) => parseTrustedProxies(text) && ofPeers.filter((peer) => parseTrustedProxies(text)?.(peer)),
	parseDurationMs,
	parseRate,
	parseDuration,
	parseInt64,
	parsePrintable,
	"parseIntegerUpTo 1000": parseIntegerUpTo(1000, 0),
	quoteWord,
	readConnection: (text) => readConnection({ url: text } as ConnectionOptions, { ANIMAL_STORE_KEY: text }),
	parseJson: (text) => [parseJson(text)],
	checkFields: (text) => checkFields(parseJson(text)),
	checkTexts: (text) => checkTexts(parseJson(text) as object),
	integerOfText,
	foldedText,
	comparedName,
	printable,
	traceIdOf,
	query,
	cursor: (text) => cursors.read(text, {}),
	"links of a page": (text) => {
		const { limit = 20, cursor, ...filter } = query(text) as { limit?: number; cursor?: string };
		const position = cursor === undefined ? { after: 0n } : cursors.read(cursor, filter);
		const pages = [{ hasMore: false }, { hasMore: true, ids: { first: 7n, last: 9n } }];
		const ask = { limit, ...position, ...filter };
		return [pageSql(ask), nameOfPage(ask), ...pages.map((page) => pageLinks("b", cursors, ask, page as PetPage))];
	},
	"settings together": settingsTogether,
	readIdempotencyKey,
	acceptsGzip: (text) => acceptsGzip({ "accept-encoding": text }),
	matchesTag: (text) => matchesTag(text, '"a1"'),
	isHost,
	baseUrl,
	networkOf,
	withoutKeys,
	isWellFormedKey,
	formatForTerminal: (text) => stripVTControlCharacters(formatForTerminal(text)).replace(/^\S+/, "time"),
	cpuQuota: (text) => cpuQuota((path) => (path === "/proc/self/cgroup" ? text : `${path.length}000 ${text.length}00`)),
	parsePostgresUrl: (text) => ({ ...parsePostgresUrl(text), parameters: [...parsePostgresUrl(text).parameters] }),
	nameOfServer: (text) => nameOfServer(parsePostgresUrl(text)),
	withoutPassword,
	isBackup: (text) => isBackup(text) && timeOfBackup(text),
	plainValue,
	isNothing,
	isNoName,
	isWord,
	isDamaged,
	isOfRejection,
	proposeStatus,
	proposeCategory,
	plainName,
	knownName,
	isKind,
	mayBeName,
	"ranks of columns": (text) => [
		...(["name", "categoryId", "status"] as const).map((field) => rankOf(field, plainName(text))),
		sexes.test(text),
	],
	idName: (text) => idName.exec(plainName(text))?.slice(1),
	numberOf,
	digitsOfStyles: (text) => [...digitsOfStyles(text)],
	withZeros: (text) => withZeros(text, new Map(Object.entries({ 1: 5, 2: 2 }))),
	mergesOf: (text) => {
		const [book = "", relations = "", sheet = ""] = text.split("\n");
		const parts = { "xl/workbook.xml": book, "xl/_rels/workbook.xml.rels": relations, "xl/s.xml": sheet };
		return [...mergesOf(parts)];
	},
	"reply to an import": replyToImport,
	secondsOf: (text) => secondsOf(Number(text)),
};

/** What an import does after a reply: its status, its Retry-After, and its body. */
async function replyToImport(text: string): Promise<unknown> {
	const [status, retry = "", body = ""] = text.split("\n");
	const headers = retry === "" ? {} : { "retry-after": retry };
	const attempts = { sinceMs: 0, mayBeStored: false };
	const signal = new AbortController().signal;
	let sent = 0;
	const send = async () => {
		sent++;
		return new Response(body, { status: Number(status), headers });
	};
	const target = { url: "http://a", key: "k", retryForMs: 0, signal, fetch: send };
	const result = await sendBatch(["{}", "{}"], target, attempts).catch(({ kind, message, hasReply }) => [
		kind,
		message,
		hasReply,
	]);
	return [result, sent, attempts.mayBeStored];
}

/** What a file leaves open, and for each row the animal, or what is wrong with it. */
async function listOutcome(content: string | Uint8Array): Promise<unknown> {
	const source = sourceOf(content, 64);
	const kind = await detectKind(source);
	const { options, questions } = await proposeColumns({ source, kind, title: "Dogs" }, {}, {});
	const said: unknown[] = [kind, options, questions];
	const tell = { onUnused: (name: string) => said.push(name), onOther: (row: object) => said.push(row) };
	const hashOf = rowHasher((text) => hash("sha256", text));
	for await (const batch of readRows(source, kind, { ...options, ...tell }))
		for (const row of batch) {
			const { given: _given, faults = [], ...outcome } = row;
			const rejected = [describeInFile(row, faults), describeRow(row, faults), rejectedRow(row, "r", kind, false)];
			said.push([outcome, hashOf(row), exampleOf(row, options), ...(faults.length > 0 ? rejected : [])]);
		}
	return said;
}

const assertFunctions = outcomesIn("functions");
const assertLists = outcomesIn("lists");

test("functions do what is recorded with each text and its variants", async () => {
	for (const [name, of] of Object.entries(functions)) await assertFunctions(name, of);
	await assertFunctions("settings without variants", settingsTogether, 0);
});

test("a list is proposed, read, hashed and rejected as recorded", async () => {
	await assertLists("lists", listOutcome, 60);
	await assertLists("lists of bytes", (text) => listOutcome(Buffer.from(text, "latin1")), 60);
});
