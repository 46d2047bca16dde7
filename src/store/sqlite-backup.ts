// A backup of a SQLite store while services write to it: one consistent moment, complete on disk or not there at all.

import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { refusal } from "./sqlite-file.ts";
import { StoreRefused } from "./store.ts";

/**
 * Writes a copy of the store as it is at one moment; writers go on meanwhile. The copy is a store: DATABASE_URL may name it.
 * @returns the number of animals in it
 * @throws StoreRefused
 */
export function backupSqlite(file: string, to: string): number {
	if (!existsSync(file)) throw new StoreRefused(`there is no store at ${file}: mend DATABASE_URL`);
	if (!statSync(dirname(to), { throwIfNoEntry: false })?.isDirectory()) {
		throw new StoreRefused(`cannot write ${to}: its folder does not exist`);
	}
	if (existsSync(to)) throw new StoreRefused(`${to} is there already: name a new file`);
	const draft = `${to}.${process.pid}.new`;
	try {
		const database = new Database(file, { readonly: true });
		database.prepare("VACUUM INTO ?").run(draft);
		database.close();
		sync(draft);
		const animals = check(draft);
		linkSync(draft, to);
		return animals;
	} catch (error) {
		throw refusal(to, error);
	} finally {
		rmSync(draft, { force: true });
	}
}

/** SQLite leaves it to us to wait until the copy is on disk. */
function sync(file: string): void {
	const descriptor = openSync(file, "r+");
	fsyncSync(descriptor);
	closeSync(descriptor);
}

function check(file: string): number {
	const database = new Database(file, { readonly: true });
	try {
		if (database.pragma("integrity_check(1)", { simple: true }) !== "ok")
			throw new StoreRefused("the copy is damaged: check the disk");
		return Number(database.prepare("SELECT count(*) FROM pets").pluck().get());
	} finally {
		database.close();
	}
}
