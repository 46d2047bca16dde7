// Reads an audit log that `audit list --json` wrote: a JSON array, or NDJSON with one edit on each line.

import { readFileSync } from "node:fs";
import { isInt64 } from "../contract/int64.ts";
import { parseJson } from "../contract/json.ts";
import { petStatuses } from "../contract/pet.ts";
import type { EditRecord } from "../store/store.ts";
import { CommandError } from "./command-error.ts";

/** @throws CommandError */
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
