// `animal-store audit list` shows what operators did to animals. The log has ids and no names.

import { Command } from "commander";
import { readConfig } from "../config.ts";
import { openStore } from "../store/open.ts";
import type { EditRecord, Store } from "../store/store.ts";
import { withDatabase } from "./connection.ts";
import { examples } from "./pets.ts";
import { toStdout } from "./stdout.ts";

const pageRows = 1000;

export function auditCommand(): Command {
	const audit = new Command("audit").description("show what operators changed and removed");
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
	const store = await openStore(readConfig(undefined, flags).databaseUrl, Date.now, { mustExist: true });
	try {
		await toStdout(auditText(store, json ? "json" : process.stdout.isTTY ? "aligned" : "tabs"));
	} finally {
		await store.close();
	}
}

export function auditText(store: Store, form: "json" | "aligned" | "tabs", rows = pageRows): AsyncIterable<string> {
	const pages = pagesOf(store, rows);
	return form === "json" ? formatJson(pages) : formatTable(pages, form === "aligned");
}

async function* pagesOf({ edits }: Store, rows: number): AsyncGenerator<EditRecord[]> {
	for (let after = 0n; ; ) {
		const page = await edits.list(after, rows);
		if (page.length === 0) return;
		yield page;
		after = page.at(-1)?.id ?? after;
	}
}

/** Ids are JSON integers, exactly. */
function toJson({ id, atMs, editor, action, petId, fromStatus, toStatus, erasedAtMs }: EditRecord): string {
	const at = new Date(atMs).toISOString();
	const statuses = action === "rename" ? {} : { fromStatus: fromStatus ?? null };
	const effect = action === "set-status" ? { toStatus: toStatus ?? null } : { erasedAt: timeOf(erasedAtMs) ?? null };
	const rest = { action, ...statuses, ...effect };
	return `{"id":${id},"at":"${at}","by":${JSON.stringify(editor)},"petId":${petId},${JSON.stringify(rest).slice(1)}`;
}

async function* formatJson(pages: AsyncIterable<EditRecord[]>): AsyncGenerator<string> {
	let isFirst = true;
	for await (const page of pages) {
		yield (isFirst ? "[\n" : ",\n") + page.map(toJson).join(",\n");
		isFirst = false;
	}
	yield isFirst ? "[]\n" : "\n]\n";
}

const timeOf = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString());

const columns = ["id", "at", "animal", "action", "status", "by", "name erased"];

function cellsOf({ id, atMs, editor, action, petId, fromStatus, toStatus, erasedAtMs }: EditRecord): string[] {
	const [from, to] = [fromStatus ?? "none", toStatus ?? "none"];
	const status = { "set-status": `${from} → ${to}`, rename: "", remove: from }[action];
	const erased = action === "set-status" ? "" : (timeOf(erasedAtMs) ?? "not yet");
	return [`${id}`, new Date(atMs).toISOString(), `${petId}`, action, status, editor, erased];
}

/** Aligned on a terminal, separated by tabs in a pipe. */
async function* formatTable(pages: AsyncIterable<EditRecord[]>, isTerminal: boolean): AsyncGenerator<string> {
	let widths = columns.map(({ length }) => length);
	let header = [columns];
	for await (const page of pages) {
		const rows = page.map(cellsOf);
		if (!isTerminal) {
			yield rows.map((cells) => `${cells.join("\t")}\n`).join("");
			continue;
		}
		const lines = [...header, ...rows];
		header = [];
		widths = widths.map((width, index) => Math.max(width, ...lines.map((cells) => cells[index]?.length ?? 0)));
		yield lines.map((cells) => `${alignCells(cells, widths)}\n`).join("");
	}
}

function alignCells(cells: string[], widths: number[]): string {
	return cells
		.map((cell, index) => cell.padEnd(widths[index] ?? 0))
		.join("  ")
		.trimEnd();
}
