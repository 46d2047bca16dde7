// Checks that the times and sizes that documents state are those of the source. A test of their effect sets its own.

import assert from "node:assert/strict";
import { test } from "node:test";
import { read } from "../support/checkout.ts";

/** A number with its unit, as documents write it. */
const amount = /(\d[\d,]*)(?: (ms|s|seconds?|minutes?|hours|KiB|MiB|GiB)\b|\b)/;
const units: Record<string, number> = {
	ms: 1,
	s: 1000,
	second: 1000,
	seconds: 1000,
	minutes: 60_000,
	hours: 3_600_000,
	KiB: 2 ** 10,
	MiB: 2 ** 20,
	GiB: 2 ** 30,
};

/** The document; the words before its number; the file; the name before the number there. */
const stated: [document: string, before: string, file: string, name: string][] = [
	["SECURITY.md", "headers of a request arrive within | ", "http/listen.ts", "headersMs"],
	["SECURITY.md", "a whole request arrives within | ", "http/listen.ts", "requestMs"],
	["SECURITY.md", "while a request is under way | ", "http/listen.ts", "stalledMs"],
	["SECURITY.md", "an idle connection stays open | ", "http/listen.ts", "keepAliveMs"],
	["SECURITY.md", "open connections | ", "http/listen.ts", "connectionsMost"],
	["SECURITY.md", "may open few files, ", "service.ts", "descriptorsKept"],
	["SECURITY.md", "requests of one connection under way | ", "http/connection.ts", "underWayMax"],
	["SECURITY.md", "creates waiting for their commit | ", "store/group-commit.ts", "lengthMax"],
	["SECURITY.md", "their connections closed | ", "http/admission.ts", "delayMs"],
	["SECURITY.md", "| URL: ", "contract/limits.ts", "urlMaxLength"],
	["SECURITY.md", "; headers: ", "contract/limits.ts", "headersMaxBytes"],
	["SECURITY.md", "headers: 16 KiB and ", "contract/limits.ts", "headersMaxCount"],
	["SECURITY.md", "fields; body: ", "contract/limits.ts", "bodyMaxBytes"],
	["SECURITY.md", "arrays in a body | ", "contract/limits.ts", "bodyMaxDepth"],
	["SECURITY.md", "have not taken yet | ", "http/unsent.ts", "keyMaxBytes"],
	["SECURITY.md", "for a key, ", "http/unsent.ts", "allMaxBytes"],
	["SECURITY.md", "exports of a key at a time | ", "http/find.ts", "exportsMax"],
	["SECURITY.md", "a statement on PostgreSQL | ", "store/postgres/pool.ts", "statementTimeoutMs"],
	["SECURITY.md", "waiting for a lock ", "store/postgres/pool.ts", "lockTimeoutMs"],
	["SECURITY.md", "for a connection ", "store/postgres/connections.ts", "connectTimeoutMs"],
	["SECURITY.md", "earlier searches of an embedded store | ", "store/sqlite/scans.ts", "waitMaxMs"],
	["SECURITY.md", "under way when the service stops | ", "service.ts", "stopGraceMs"],
	["SECURITY.md", "10 s; after ", "cli/serve.ts", "stopGraceMs"],
	["SECURITY.md", "under way at Ctrl-C | ", "cli/interrupt.ts", "graceMs"],
	["docs/daily-work.md", "tabs of this computer for ", "../console/src/session/kept-key.ts", "hoursOnComputer"],
	["docs/daily-work.md", "Workbooks: at most\n  ", "files/workbook.ts", "fileMaxBytes"],
	["docs/daily-work.md", "64 MiB, ", "files/workbook.ts", "contentMaxBytes"],
	["docs/daily-work.md", "Standard input: at most ", "cli/import-file.ts", "maxBytes"],
	["docs/daily-work.md", "the import waits up to ", "cli/import.ts", "default("],
	["docs/daily-work.md", "the import waits up to ", "../console/src/add/add-rows.ts", "retryForMs"],
	["docs/daily-work.md", "nothing twice within ", "contract/operations.ts", "idempotencyHours"],
	["docs/settings.md", "for the commit to end, at least ", "store/postgres/open.ts", "answerMinMs"],
	["docs/embedded-store.md", "are answered, and after at most ", "service.ts", "stopGraceMs"],
	["docs/errors.md", "`body_too_large` | 413 | more than ", "contract/limits.ts", "bodyMaxBytes"],
	["docs/errors.md", "`uri_too_long` | 414 | more than ", "contract/limits.ts", "urlMaxLength"],
];

test("the times and sizes that documents state are those of the source", () => {
	for (const [document, before, file, name] of stated) {
		const text = read(document);
		const at = text.indexOf(before);
		assert.notEqual(at, -1, `${document} does not say “${before}”`);
		const [said, digits = "", unit = ""] = amount.exec(text.slice(at + before.length)) ?? [];
		const value = Number(digits.replaceAll(",", "")) * (unit && !/hours/i.test(name) ? (units[unit] ?? 1) : 1);
		assert.equal(constant(`src/${file}`, name), value, `${document}: ${before}${said}; ${file}: ${name}`);
	}
});

/** The number behind a name, such as that of `const bodyMaxBytes = 64 * 1024`. */
function constant(file: string, name: string): number {
	const text = read(file);
	const [, product = ""] = new RegExp(`\\b${name.replace("(", "\\(")}(?: = |: |)([\\w* ]+)`).exec(text) ?? [];
	return product.split(/( \*\*? )/).reduce((value, factor, at, parts) => {
		if (at % 2 === 1) return value;
		const number = /^\d/.test(factor) ? Number(factor.replaceAll("_", "")) : constant(file, factor);
		if (at === 0) return number;
		return parts[at - 1] === " ** " ? value ** number : value * number;
	}, 0);
}
