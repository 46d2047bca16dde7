// `animal-store audit list` shows the edits that operators made, and `restore --audit` reads them. They contain ids and
// no names.

import { readFileSync } from "node:fs";
import { Command } from "commander";
import { isInt64, parseJson } from "../contract/json.ts";
import { petStatuses } from "../contract/pet.ts";
import { jsonArray } from "../files/formats.ts";
import type { EditRecord, Store } from "../store/store.ts";
import { CommandError } from "./command-error.ts";
import { withDatabase, withStore } from "./connection.ts";
import { examples, toStdout } from "./output.ts";
import { formatTable } from "./tables.ts";

const pageRows = 1000;

export function auditCommand(): Command {
	const audit = new Command("audit").description("show the edits that operators made");
	const list = audit
		.command("list")
		.description("list all edits, oldest first")
		.option("--json", "as a JSON array, which restore --audit reads")
		.addHelpText("after", examples("audit list", "audit list --json > audit.json"))
		.action(listEdits);
	withDatabase(list);
	return audit;
}

async function listEdits({ json = false, ...flags }: { json?: boolean; databaseUrl?: string }): Promise<void> {
	await withStore(flags, (store) =>
		toStdout(auditText(store, json ? "json" : process.stdout.isTTY ? "aligned" : "tabs")),
	);
}

export function auditText(store: Store, form: "json" | "aligned" | "tabs", rows = pageRows): AsyncIterable<string> {
	const pages = pagesOf(store, rows);
	return form === "json" ? jsonArray(pages, toJson) : formatTable(cellsOfAll(pages), columns, form === "aligned");
}

async function* pagesOf({ edits }: Store, rows: number): AsyncGenerator<EditRecord[]> {
	for (let after = 0n; ; ) {
		const page = await edits.list(after, rows);
		if (page.length === 0) return;
		yield page;
		after = page.at(-1)?.id ?? after;
	}
}

/** Ids are exact JSON integers. */
function toJson({ id, atMs, editor, action, petId, fromStatus, toStatus, erasedAtMs }: EditRecord): string {
	const at = new Date(atMs).toISOString();
	const statuses = action === "rename" ? {} : { fromStatus: fromStatus ?? null };
	const effect = action === "set-status" ? { toStatus: toStatus ?? null } : { erasedAt: timeOf(erasedAtMs) ?? null };
	const rest = { action, ...statuses, ...effect };
	return `{"id":${id},"at":"${at}","by":${JSON.stringify(editor)},"petId":${petId},${JSON.stringify(rest).slice(1)}`;
}

const timeOf = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString());

const columns = ["id", "at", "animal", "action", "status", "by", "name erased"];

function cellsOf({ id, atMs, editor, action, petId, fromStatus, toStatus, erasedAtMs }: EditRecord): string[] {
	const [from, to] = [fromStatus ?? "none", toStatus ?? "none"];
	const status = { "set-status": `${from} → ${to}`, rename: "", remove: from }[action];
	const erased = action === "set-status" ? "" : (timeOf(erasedAtMs) ?? "not yet");
	return [`${id}`, new Date(atMs).toISOString(), `${petId}`, action, status, editor, erased];
}

async function* cellsOfAll(pages: AsyncIterable<EditRecord[]>): AsyncGenerator<string[][]> {
	for await (const page of pages) yield page.map(cellsOf);
}

/** Reads the output of `audit list --json`, also with one edit on each line (NDJSON). @throws CommandError */
export function readAuditFile(path: string): EditRecord[] {
	return parseRows(readFileSync(path, "utf8"), path).map((row, index) => {
		const edit = toEdit(row);
		if (edit) return edit;
		throw new CommandError(
			`row ${index + 1} of ${path} is not an edit: name a file from animal-store audit list --json`,
		);
	});
}

function parseRows(text: string, path: string): unknown[] {
	try {
		if (text.trimStart().startsWith("[")) return parseJson(text) as unknown[];
		const lines = text.split("\n").filter((line) => line.trim() !== "");
		return lines.map((line) => parseJson(line));
	} catch {
		throw new CommandError(`${path} is not JSON: name a file from animal-store audit list --json`);
	}
}

function toEdit(row: unknown): EditRecord | undefined {
	const { id, at, by, petId, action, fromStatus, toStatus, erasedAt } = (row ?? {}) as Record<string, unknown>;
	const [atMs, erasedAtMs] = [at, erasedAt].map((time) => (typeof time === "string" ? Date.parse(time) : undefined));
	if (!isInt64(id) || !isInt64(petId) || typeof by !== "string") return undefined;
	if (atMs === undefined || Number.isNaN(atMs) || Number.isNaN(erasedAtMs)) return undefined;
	if (action !== "set-status" && action !== "rename" && action !== "remove") return undefined;
	if (!isStatus(fromStatus) || !isStatus(toStatus)) return undefined;
	const rest = { fromStatus: fromStatus ?? undefined, toStatus: toStatus ?? undefined, erasedAtMs };
	return { id: BigInt(id), atMs, editor: by, petId: BigInt(petId), action, ...rest };
}

function isStatus(value: unknown): value is EditRecord["fromStatus"] | null {
	return value === undefined || value === null || petStatuses.some((status) => status === value);
}
