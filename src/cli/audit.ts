// `animal-store audit list` shows the edits that operators made. An edit has the animal's id, but no name.

import type { Command } from "commander";
import { toJson as exactJson } from "../contract/json.ts";
import { jsonArray } from "../files/formats.ts";
import type { EditRecord, Store } from "../store/store.ts";
import { type DatabaseOptions, withDatabase, withStore } from "./connection.ts";
import { examples, formatTable, toStdout } from "./output.ts";

export function auditCommand(audit: Command): void {
	audit.description("show the edits that operators made");
	withDatabase(audit.command("list"), "as a JSON array")
		.description("list all edits, oldest first")
		.addHelpText("after", examples("audit list", "audit list --json > audit.json"))
		.action(listEdits);
}

async function listEdits({ json = false, ...flags }: DatabaseOptions): Promise<void> {
	await withStore(flags, (store) => toStdout(auditText(store, json)));
}

export function auditText(store: Store, isJson: boolean, rows = 1000): AsyncIterable<string> {
	const pages = pagesOf(store, rows);
	return isJson ? jsonArray(pages, toJson) : formatTable(cellsOfAll(pages), columns);
}

async function* pagesOf({ edits }: Store, rows: number): AsyncGenerator<EditRecord[]> {
	for (let after = 0n; ; ) {
		const page = await edits.list(after, rows);
		if (page.length === 0) return;
		yield page;
		after = page.at(-1)?.id ?? after;
	}
}

function toJson({ id, atMs, editor: by, ...edit }: EditRecord): string {
	return exactJson({ id, at: new Date(atMs).toISOString(), by, ...edit });
}

const columns = ["id", "at", "animal", "action", "change", "by"];

function cellsOf({ id, atMs, editor, action, petId, ...edit }: EditRecord): string[] {
	const from = edit.fromStatus ?? edit.fromCategoryId ?? "none";
	const to = edit.toStatus ?? edit.toCategoryId ?? "none";
	// A renaming shows no change, because the audit has no names. A removal has no new value.
	const changes = { "set-status": `${from} → ${to}`, "set-category": `${from} → ${to}`, rename: "", remove: `${from}` };
	return [`${id}`, new Date(atMs).toISOString(), `${petId}`, action, changes[action], editor];
}

async function* cellsOfAll(pages: AsyncIterable<EditRecord[]>): AsyncGenerator<string[][]> {
	for await (const page of pages) yield page.map(cellsOf);
}
