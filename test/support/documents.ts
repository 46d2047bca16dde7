// The documents, their commands, and the commands that other proofs and tests run.

import { globSync } from "node:fs";
import { introduction } from "../../openapi/introduction.ts";
import { checkout, read } from "./checkout.ts";
import { blocksOf } from "./document-blocks.ts";

/** The documents, by their paths. */
export const pages = new Map([
	...globSync(["*.md", "docs/**/*.md", "client/README.md"], { cwd: checkout })
		.sort()
		.map((path) => [path, read(path)] as const),
	["openapi.json", introduction] as const,
]);

/** Blocks that run elsewhere: the page, the block's first words, and the path of a script or a part of a test's title. */
export const elsewhere: [page: string, start: string, by: string][] = [
	["README.md", "npm ci && npm start", "package/try-release.ts"],
	["docs/embedded-store.md", "npx animal-store serve", "npm 10 and Node 20 install the service without warnings"],
	["docs/postgresql.md", "DATABASE_URL=postgres://", "sslmode controls the check of the server's certificate"],
	["docs/postgresql.md", "npx animal-store copy --from sqlite", "a store can be copied to PostgreSQL and back"],
	["docs/embedded-store.md", "BACKUP_TO=/var/backups/animals", "a failed backup is logged as one error line"],
	["docs/embedded-store.md", "npx animal-store restore", "a backup made under load restores over a crashed store"],
	["docs/kubernetes.md", "cd deploy/kubernetes/postgresql", "kubernetes: the database's address is in a file"],
	["client/README.md", "npm install @animal-store/client", "the installed client works in every Node from version 20"],
	["CONTRIBUTING.md", "npm ci", ".ci/run"],
];

export const commandsOf = (text: string) => blocksOf(text, "sh");

/** The source of each proof, and the strings in its statements that call `blockOf` or a function named after it. */
const proofs = globSync("test/proofs/*.ts", { cwd: checkout }).map((path) => {
	const text = read(path);
	const calls = text.split(/;\n/).filter((statement) => /block(Of)?\(/i.test(statement));
	return { text, starts: [...calls.join().matchAll(/"([^"\n]+)"/g)].map(([, start = ""]) => start) };
});

/** Whether a proof names the page, and the block's first words for `blockOf`: then the proof runs the block. */
export const isProved = (page: string, block: string) =>
	proofs.some(({ text, starts }) => text.includes(page) && starts.some((start) => block.startsWith(start)));

export const runsElsewhere = (page: string, block: string) =>
	isProved(page, block) || elsewhere.some(([at, start]) => at === page && block.startsWith(start));
