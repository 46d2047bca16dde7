// A reference server that does what most teams would do: Express 5 with better-sqlite3, hand-written checks, one
// statement and one transaction for each request, and ids as numbers. Argument: the SQLite file. The variable API_KEY
// has the key.

import { createHash, randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import Database from "better-sqlite3";
import type Express from "express";

const express: typeof Express = createRequire(new URL("../test/package.json", import.meta.url))("express");
const statuses = ["available", "pending", "sold"];

interface Row {
	id: number;
	name: string;
	category_id: number;
	status: string | null;
}

const database = new Database(process.argv[2] ?? "");
database.pragma("journal_mode = WAL");
database.pragma("synchronous = FULL");
database.exec(`
	CREATE TABLE IF NOT EXISTS pets (
		id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, category_id INTEGER NOT NULL, status TEXT);
	CREATE INDEX IF NOT EXISTS pets_by_status ON pets (status, id);
	CREATE TABLE IF NOT EXISTS api_keys (hash TEXT PRIMARY KEY, name TEXT NOT NULL);
`);
const hashOf = (key: string) => createHash("sha256").update(key).digest("hex");
database
	.prepare("INSERT OR IGNORE INTO api_keys VALUES (?, 'bench')")
	.run(hashOf(process.env["API_KEY"] ?? randomUUID()));

const findKey = database.prepare<[string], { name: string }>("SELECT name FROM api_keys WHERE hash = ?");
const findPet = database.prepare<[number], Row>("SELECT * FROM pets WHERE id = ?");
const listAll = database.prepare<[number, number], Row>("SELECT * FROM pets WHERE id > ? ORDER BY id LIMIT ?");
const listByStatus = database.prepare<[string, number, number], Row>(
	"SELECT * FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?",
);
const addPet = database.prepare<[string, number, string | null]>(
	"INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)",
);

const toPet = ({ id, name, category_id, status }: Row) => ({
	id,
	name,
	categoryId: category_id,
	status: status ?? undefined,
});

function fail(response: Express.Response, status: number, code: string, message: string): Express.Response {
	return response.status(status).json({ code, message, status });
}

function authenticate(request: Express.Request, response: Express.Response, next: Express.NextFunction): void {
	const [, key] = /^Bearer (\S+)$/i.exec(request.get("authorization") ?? "") ?? [];
	if (key && findKey.get(hashOf(key))) next();
	else
		fail(response.set("WWW-Authenticate", 'Bearer realm="plain"'), 401, "invalid_credential", "Send a valid API key.");
}

function listPets(request: Express.Request, response: Express.Response): Express.Response {
	const { limit: limitText = "20", status, cursor } = request.query;
	const limit = Number(limitText);
	const after = cursor === undefined ? 0 : Number(Buffer.from(String(cursor), "base64url").toString());
	if (!Number.isInteger(limit) || limit < 1 || limit > 100)
		return fail(response, 400, "invalid_parameter", "limit must be an integer from 1 to 100.");
	if (status !== undefined && !statuses.includes(String(status)))
		return fail(response, 400, "invalid_parameter", `status must be one of ${statuses.join(", ")}.`);
	if (!Number.isInteger(after)) return fail(response, 400, "invalid_cursor", "cursor is not from this service.");
	const rows =
		status === undefined ? listAll.all(after, limit + 1) : listByStatus.all(String(status), after, limit + 1);
	const pets = rows.slice(0, limit).map(toPet);
	const last = pets.at(-1);
	if (rows.length > limit && last) {
		const next = new URL(request.originalUrl, `${request.protocol}://${request.get("host")}`);
		next.searchParams.set("cursor", Buffer.from(String(last.id)).toString("base64url"));
		response.links({ next: next.href });
	}
	return response.json(pets);
}

function createPet(request: Express.Request, response: Express.Response): Express.Response {
	const { name, categoryId, status } = request.body ?? {};
	if (typeof name !== "string" || name.trim() === "" || [...name].length > 255)
		return fail(response, 400, "invalid_body", "name must be a string of 1 to 255 characters.");
	if (!Number.isSafeInteger(categoryId)) return fail(response, 400, "invalid_body", "categoryId must be an integer.");
	if (status !== undefined && !statuses.includes(status))
		return fail(response, 400, "invalid_body", `status must be one of ${statuses.join(", ")}.`);
	const id = Number(addPet.run(name, categoryId, status ?? null).lastInsertRowid);
	return response.status(201).location(`/v1/pets/${id}`).json({ id, name, categoryId, status });
}

function getPet(request: Express.Request<{ petId: string }>, response: Express.Response): Express.Response {
	const row = findPet.get(Number(request.params.petId));
	return row ? response.json(toPet(row)) : fail(response, 404, "pet_not_found", "There is no such animal.");
}

const app = express();
app.use("/v1", authenticate);
app.use(express.json({ limit: "64kb" }));
app.get("/v1/pets", listPets);
app.post("/v1/pets", createPet);
app.get("/v1/pets/:petId", getPet);
app.use((_: Express.Request, response: Express.Response) => fail(response, 404, "route_not_found", "Not found."));
app.use(
	(error: Error & { status?: number }, _: Express.Request, response: Express.Response, next: Express.NextFunction) => {
		if (response.headersSent) next(error);
		else fail(response, error.status ?? 500, "failed", error.status ? error.message : "Internal error.");
	},
);
const server = app.listen(0, "127.0.0.1", () => {
	console.log(JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
});
process.on("SIGTERM", () => process.exit());
