// Files that cannot be served or restored: of other programs, of a newer version, truncated or overwritten.

import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";

/** Copies a store's file, and changes the copy with SQL while SQLite's checks are off. @returns the copy's path */
export function editedCopy(file: string, name: string, sql: string): string {
	const path = join(dirname(file), name);
	copyFileSync(file, path);
	const database = new Database(path);
	database.unsafeMode().pragma("writable_schema = ON");
	database.pragma("ignore_check_constraints = ON");
	database.exec(sql);
	database.close();
	return path;
}

/** @param file a closed store of at least four pages @returns files next to it, and the message about each file */
export function damagedCopies(file: string): [copy: string, said: RegExp][] {
	const bytes = readFileSync(file);
	const page = bytes.readUInt16BE(16);
	const noise = Buffer.from(Array.from({ length: page }, (_, index) => (index * 151 + 7) % 256));
	const written = (name: string, content: Buffer | string): string => {
		const path = join(dirname(file), name);
		writeFileSync(path, content);
		return path;
	};
	const foreign = written("foreign", "");
	new Database(foreign).exec("CREATE TABLE a (b)").close();
	const damaged = /is damaged: restore a backup/;
	const trigger = "CREATE TRIGGER added AFTER INSERT ON pets BEGIN DELETE FROM pets WHERE id = new.id; END";
	const development =
		/created by a development version of animal-store \(schema 4, this one supports 5 and newer\): export/;
	return [
		[written("text", "hello"), /is not an animal store/],
		[written("garbage", noise), /is not an animal store, or is damaged: restore a backup/],
		[written("empty", ""), /is not an animal store, or is damaged/],
		[foreign, /belongs to another program/],
		[editedCopy(file, "newer", "PRAGMA user_version = 99"), /written by a newer animal-store \(schema 99, this one/],
		[editedCopy(file, "development", "PRAGMA user_version = 4"), development],
		[editedCopy(file, "trigger", trigger), /has a trigger that no animal-store makes: DROP TRIGGER "added"/],
		[editedCopy(file, "view", "CREATE VIEW v AS SELECT 1"), /has a view that no animal-store makes: DROP VIEW "v"/],
		[written("truncated", bytes.subarray(0, page * 3 + 100)), damaged],
		[written("schema", Buffer.from(bytes).fill(7, 100, 300)), /\/schema is damaged: restore a backup/],
	];
}

/** Copies of a closed store that only a check of all pages finds. */
export function damagedInside(file: string): [copy: string, said: RegExp][] {
	const bytes = readFileSync(file);
	const page = bytes.readUInt16BE(16);
	return [0, 7].map((value, index) => {
		const path = join(dirname(file), `damaged inside ${index}`);
		writeFileSync(path, Buffer.from(bytes).fill(value, page * (index + 1), page * (index + 2)));
		return [path, /is damaged: restore a backup/];
	});
}
