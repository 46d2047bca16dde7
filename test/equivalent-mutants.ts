// Mutants that change nothing which a caller could see. The generator leaves them out; each says why.

import type { Mutant } from "./mutant.ts";

export const equivalentMutants: (Pick<Mutant, "file" | "from" | "to"> & { because: string })[] = [
	{
		file: "src/store/postgres/errors.ts",
		from: "100",
		to: "101",
		because: "a random pause is a hundredth longer at most",
	},
	{
		file: "src/store/sqlite/file.ts",
		from: "/^SQLITE_(NOTADB|CORRUPT|IOERR_SHORT_READ)/",
		to: "/SQLITE_(NOTADB|CORRUPT|IOERR_SHORT_READ)/",
		because: "no code has SQLITE_ anywhere but at its beginning",
	},
	{
		file: "src/http/checks.ts",
		from: '"a route that is not open was reached without a key"',
		to: '""',
		because: "the message of a state that cannot occur",
	},
	{
		file: "src/http/pets.ts",
		from: '""',
		to: '"mutant"',
		because: "the tag of a page without a next one may have any text but that of a page with one",
	},
	{
		file: "src/http/paging.ts",
		from: "/^[0-9a-z]{1,13}$/",
		to: "/^[0-9a-z]{1,13}/",
		because: "a cursor with more characters fails at its signature",
	},
	{
		file: "src/http/framing.ts",
		from: 'export function checkFraming({ rawHeaders, headers, httpVersion, method = "", url = "" }: IncomingMessage): void {',
		to: 'export function checkFraming({ rawHeaders, headers, httpVersion, method = "", url = "mutant" }: IncomingMessage): void {',
		because: "a request that a server received always has a URL",
	},
	{
		file: "src/http/reply-watch.ts",
		from: 'const { method = "" } = request;',
		to: 'const { method = "mutant" } = request;',
		because: "a request that a server received always has a method",
	},
	{
		file: "src/http/refusals.ts",
		from: '?? "";',
		to: '?? "mutant";',
		because: "no packet is not a HEAD request, whatever stands for it",
	},
	{
		file: "src/http/framing.ts",
		from: "/^https?:\\/\\/([^/?#]+)\\//i",
		to: "/https?:\\/\\/([^/?#]+)\\//i",
		because: "Node's parser knows no other scheme that ends in http",
	},
	{
		file: "src/ops/process-metrics.ts",
		from: "/^Max open files +(\\d+)/m",
		to: "/Max open files +(\\d+)/m",
		because: "the name of a limit begins its line",
	},
	{
		file: "src/files/formats.ts",
		from: "1024",
		to: "1025",
		because: "pieces of any size make the same rows",
	},
	{
		file: "src/store/sqlite/file.ts",
		from: "const closePauseMaxMs = 10;",
		to: "const closePauseMaxMs = 11;",
		because: "a pause is a tenth longer at most",
	},
	{
		file: "src/files/creates.ts",
		from: " < ",
		to: " <= ",
		because: "the least of equal ids is the same one",
	},
	{
		file: "src/keys/key-check.ts",
		from: "5_000",
		to: "5001",
		because: "last uses are stored a millisecond later",
	},
	{
		file: "src/store/postgres/keys.ts",
		from: '"keysByHash"',
		to: '""',
		because: "the name under which a connection keeps the prepared statement: without it, it is prepared each time",
	},
	{
		file: "src/store/postgres/migrate.ts",
		from: "const isTooLate = performance.now() - startedAtMs > migrationLimitMs;",
		to: "const isTooLate = performance.now() - startedAtMs >= migrationLimitMs;",
		because: "the same but for one value of a clock with nanoseconds",
	},
];

export function isEquivalent({ file, from, to }: Pick<Mutant, "file" | "from" | "to">): boolean {
	return equivalentMutants.some((known) => known.file === file && known.from === from && known.to === to);
}
