// Exports for the console. The request for a file is answered with a path that holds for a minute, so that the browser
// itself downloads the file, without the key. The ticket in it is signed and is all that is known of the export: any
// node of the store answers it.

import { createHmac } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { ApiError } from "../contract/errors.ts";
import {
	type ExportFormat,
	type ExportOrder,
	exportFormats,
	exportIdsMax,
	exportTicketMs,
	tooManyPets,
	workbookMaxPets,
} from "../contract/exports.ts";
import { foldedText } from "../contract/find.ts";
import { isInt64, parseJson } from "../contract/json.ts";
import { type Filter, filters, optional } from "../contract/operations.ts";
import type { AnyPet } from "../contract/pet-json.ts";
import { type Static, Type } from "../contract/schema.ts";
import { checkOf, describeFaults } from "../contract/validate.ts";
import { formatPets } from "../files/formats.ts";
import { isEqual } from "../keys/formats.ts";
import { isWorking } from "../keys/key-check.ts";
import type { KeyRow, PetCount, Store } from "../store/store.ts";
import { parseBody, readBody } from "./body.ts";
import { callerOf } from "./checks.ts";
import type { Exchange } from "./exchange.ts";

/** They are read and written in 1 to 3 ms. */
const pagePets = 200;

const contentTypes = {
	csv: "text/csv; charset=utf-8",
	"csv-semicolon": "text/csv; charset=utf-8",
	ndjson: "application/x-ndjson",
	json: "application/json",
	xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
};

const OrderSchema = Type.Object(
	{
		format: Type.Enum(exportFormats, { description: `one of ${exportFormats.join(", ")}` }),
		...optional(filters),
		name: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: "a text of 1 to 255 characters" })),
	},
	{ description: "a JSON object with a format" },
);
const checkOrder = checkOf(OrderSchema);
type Order = ReturnType<typeof parseOrder>;

export function createExportHandlers(store: Store, now: () => number) {
	const tickets = createTickets(store.cursorSecret, now);
	return {
		async order(exchange: Exchange): Promise<void> {
			const order = parseOrder(parseBody(await readBody(exchange.request)));
			await checkCount(store, order);
			const path = `/console/exports/${tickets.write(order, callerOf(exchange).id)}`;
			exchange.header("cache-control", "no-store").sendJson(JSON.stringify({ path }));
		},
		/** The key that has asked for the export, if it still works. */
		async keyOf({ parameter }: Exchange): Promise<KeyRow | undefined> {
			const { keyId } = tickets.read(parameter) ?? {};
			const row = keyId === undefined ? undefined : (await store.keys.list()).find(({ id }) => id === keyId);
			return row && isWorking(row, now()) ? row : undefined;
		},
		async download(exchange: Exchange): Promise<void> {
			const { order } = tickets.read(exchange.parameter) ?? {};
			if (!order) throw new ApiError("invalid_credential");
			const { format, ids, name, ...filter } = order;
			const date = new Date(now()).toISOString().slice(0, 10);
			exchange.headers({
				"cache-control": "no-store",
				"content-type": contentTypes[format],
				"content-disposition": `attachment; filename="animals-${date}.${format.replace("-semicolon", "")}"`,
			});
			const pages = ids ? petsOf(store, ids) : findPets(store, { name, filter }, exchange);
			await exchange.stream(fileOf(pages, format));
		},
	};
}

/** @throws ApiError `invalid_body` */
function parseOrder(body: unknown) {
	const { value, faults = [] } = checkOrder(body);
	const { ids } = Object(body) as ExportOrder;
	if (ids !== undefined && !(Array.isArray(ids) && ids.length <= exportIdsMax && ids.every(isInt64)))
		faults.push({ field: "ids", problem: `must be a list of at most ${exportIdsMax} ids` });
	if (faults.length > 0) throw new ApiError("invalid_body", describeFaults(faults));
	return { ...(value as Static<typeof OrderSchema>), ids: ids?.map(String) };
}

const countBatch = 5_000;

/** Those of a search are not counted. @throws ApiError `invalid_body` for more animals than a workbook holds */
async function checkCount({ countPets }: Store, { format, status, name, ids }: Order): Promise<void> {
	if (format !== "xlsx" || name !== undefined || ids) return;
	let count = 0;
	for (let after: bigint | undefined = 0n; after !== undefined; ) {
		const { counts, lastId }: PetCount = await countPets(after, countBatch);
		for (const [counted, pets] of Object.entries(counts)) if (counted === (status ?? counted)) count += pets;
		if (count > workbookMaxPets) throw new ApiError("invalid_body", tooManyPets);
		after = lastId;
		await turn();
	}
}

/** A ticket is the MAC of its content, and its content. */
function createTickets(secret: Buffer, now: () => number) {
	const macOf = (content: string) => createHmac("sha256", secret).update(`export ${content}`).digest("base64url");
	const macLength = macOf("").length;
	return {
		write(order: Order, keyId: string): string {
			const content = JSON.stringify({ order, keyId, endsAtMs: now() + exportTicketMs });
			const packed = deflateRawSync(content).toString("base64url");
			return macOf(packed) + packed;
		},
		/** @returns undefined for a ticket that is not ours, or too old */
		read(ticket: string): { order: Order; keyId: string } | undefined {
			const packed = ticket.slice(macLength);
			if (!isEqual(ticket.slice(0, macLength), macOf(packed))) return undefined;
			const content = JSON.parse(inflateRawSync(Buffer.from(packed, "base64url")).toString());
			return now() < content.endsAtMs ? content : undefined;
		},
	};
}

async function* petsOf({ getPet }: Store, ids: string[]): AsyncGenerator<AnyPet[]> {
	const sorted = [...new Set(ids.map(BigInt))].sort((one, other) => (one < other ? -1 : 1));
	for (let start = 0; start < sorted.length; start += pagePets) {
		const found = await Promise.all(sorted.slice(start, start + pagePets).map((id) => getPet(id)));
		yield parseJson(`[${found.filter((pet) => pet !== undefined).join()}]`) as AnyPet[];
	}
}

/** Ends when the client has left. Between pages the event loop handles other requests. */
async function* findPets(
	{ listPets }: Store,
	{ name = "", filter }: { name?: string | undefined; filter: Filter },
	{ response }: Exchange,
): AsyncGenerator<AnyPet[]> {
	const wanted = foldedText(name);
	for (let after: bigint | undefined = 0n; after !== undefined && !response.destroyed; ) {
		const { json, ids, hasMore } = await listPets({ ...filter, after, limit: pagePets });
		const pets = parseJson(json) as AnyPet[];
		const found = wanted === "" ? pets : pets.filter((pet) => foldedText(pet.name).includes(wanted));
		if (found.length > 0) yield found;
		after = hasMore ? ids?.last : undefined;
	}
}

async function* fileOf(pages: AsyncIterable<AnyPet[]>, format: ExportFormat): AsyncGenerator<string | Uint8Array> {
	if (format.startsWith("csv")) yield "\uFEFF"; // By this mark, spreadsheets recognise UTF-8.
	yield* formatPets(pages, format);
}
