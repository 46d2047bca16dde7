// Texts of strangers on a terminal: those of files, of stores and of servers.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { createKey } from "../../src/keys/issue.ts";
import { formatForTerminal } from "../../src/ops/log.ts";
import { openStore } from "../../src/store/open.ts";
import { call } from "../support/command.ts";
import { listenFor } from "../support/listen.ts";
import { temporaryFolder, temporaryStore } from "../support/service.ts";
import { workbook } from "../support/workbook.ts";

/** ESC and CSI, which begin commands of a terminal, an override of the direction, a line separator, and a line break. */
const hostile = "x\u001b[31m\u009b31m\u202e\u2028\nanimal-store: z";

test("no text of a file, a store or a server controls a terminal or looks like a message", async (context) => {
	const databaseUrl = temporaryStore(context);
	const store = await openStore(databaseUrl, () => 0);
	await createKey({ rows: store.keys, now: () => 0, random: randomBytes }, { name: hostile, scopes: ["pets:read"] });
	const { id } = await store.createPet({ name: "Rex", categoryId: 1n });
	await store.edits.apply({ petId: id, editor: hostile, action: "set-status", status: "sold" });
	await store.categories.apply([{ name: "x\u009b31m\u202e\u2028z" }]);
	await store.close();
	const server = createServer((_request, response) => {
		response.writeHead(500, { "content-type": "application/json" });
		response.end(JSON.stringify({ code: "internal_error", message: hostile, status: 500 }));
	});
	const url = `http://127.0.0.1:${await listenFor(context, server)}`;
	const environment = { DATABASE_URL: databaseUrl, ANIMAL_STORE_URL: url, ANIMAL_STORE_KEY: "key" };
	const folder = temporaryFolder(context);
	const write = (name: string, content: string | Buffer) => writeFileSync(join(folder, name), content);
	const cell = `"${hostile}"`;
	write("words.csv", `name,category,status,${cell}\nRex?Ann${hostile.replace("\n", "")},1,${cell}\nRex,1,${cell}\n`);
	write("columns.csv", `name,name (${hostile.replace("\n", "")},category\n`);
	write("broken.json", `[{"name":1 ${hostile.replaceAll("[", "")}}]`);
	write("a.xlsx", workbook({ "x\u009b31m\u202e_x001B_[31m_x000A_z": "name,category\nRex,1" }));
	const rows: [parameters: string[], said: RegExp][] = [
		[["keys", "list"], /x.*z {2}working/],
		[["audit", "list"], /x.*z\n/],
		[["categories", "list"], /x.*z\n/],
		[["categories", "forget", hostile.replace("\n", "")], /no category is called "x.*z"/],
		[["pets", "list"], /x.*z/s],
		[["import", "words.csv", "--dry-run"], /ignored column: "x.*z"\n[\s\S]*x.*z/],
		[["import", "columns.csv", "--dry-run"], /several columns match/],
		[["import", "broken.json", "--dry-run"], /not JSON/],
		[["import", "a.xlsx", "--dry-run"], /sheet "x.*z" of a workbook/],
		[["export", `${hostile.replace("\n", "")}.csv`], /x.*z/],
	];
	for (const [parameters, said] of rows) {
		const { stdout, stderr } = await call(parameters, { environment, folder });
		const text = stdout + stderr;
		assert.match(text, said, parameters.join(" "));
		assert.doesNotMatch(text, /[^\P{Cc}\n]|[\p{Bidi_Control}\u2028]|^animal-store: z/mu, parameters.join(" "));
	}
	const line = { level: "warn", time: new Date(0).toISOString(), msg: hostile, name: hostile, err: { stack: hostile } };
	const request = { ...line, msg: "request", "url.path": hostile, "http.response.status_code": 200, durationMs: 1 };
	for (const each of [line, request])
		assert.doesNotMatch(formatForTerminal(JSON.stringify(each)), /[\u009b\u202e\u2028]|\[31m\u001b/);
});
