// The handlers of the three operations. Their requests have passed the checks (checks.ts).

import { parse } from "node:querystring";
import { ApiError } from "../contract/errors.ts";
import { int64FromDecimal } from "../contract/json.ts";
import { limitDefault, type OperationName, operations } from "../contract/operations.ts";
import { petJson } from "../contract/pet.ts";
import type { Static, TObject } from "../contract/schema.ts";
import { checkFields, checkOf, describeFaults } from "../contract/validate.ts";
import { endOfList, type PageQuery, type PetPage, type Store } from "../store/store.ts";
import { readJson, validOf } from "./body.ts";
import { callerOf } from "./checks.ts";
import type { Handler } from "./exchange.ts";
import { createCursors, pageLinks } from "./paging.ts";
import { createResponseCache } from "./response-cache.ts";

export interface PetOptions {
	store: Store;
	/** Milliseconds since 1970. */
	now: () => number;
}

const readListQuery = createQueryReader(operations.listPets.query);
const readCreateQuery = createQueryReader(operations.createPet.query);
const readGetQuery = createQueryReader(operations.getPet.query);

/** A handler for every operation of the contract: a missing one is a type error. */
export function createPetHandlers({ store, now }: PetOptions): Record<OperationName, Handler> {
	const cursors = createCursors(store.cursorSecret);
	const cache = createResponseCache(store);

	return {
		async listPets(exchange) {
			if (await cache.answers(exchange)) return;
			const { limit = limitDefault, cursor, ...filter } = readListQuery(exchange.query);
			const position = cursor === undefined ? { after: 0n } : cursors.read(cursor, filter);
			const query = { ...position, ...filter, limit };
			const page = await store.listPets(query);
			if (isLost(query, page)) throw new ApiError("invalid_cursor", "lost");
			const links = () => pageLinks(exchange.baseUrl, cursors, query, page);
			// A full last page gets a `next` link when animals are added. The other links depend only on the target.
			const variant = page.hasMore ? "+" : "";
			cache.reply(exchange, { ...page, isSettled: isSettled(query, page), links, variant });
		},

		async createPet(exchange) {
			readCreateQuery(exchange.query);
			const newPet = validOf(checkFields(await readJson(exchange)));
			const key = exchange.idempotencyKey;
			const idempotencyKey = key === undefined ? undefined : { caller: callerOf(exchange).id, key };
			const { id, outcome } = await store.createPet(newPet, idempotencyKey);
			if (outcome === "reused") throw new ApiError("idempotency_key_reused");
			if (outcome === "replayed") exchange.header("idempotency-replayed", "true");
			exchange.status = 201;
			// After getPet's removal, there is nothing at this address.
			if (now() < operations.getPet.deprecation.sunsetMs) exchange.header("location", `${exchange.baseUrl}/pets/${id}`);
			exchange.header("cache-control", "no-store").sendJson(petJson({ id, ...newPet }));
		},

		async getPet(exchange) {
			if (await cache.answers(exchange)) return;
			readGetQuery(exchange.query);
			const id = int64FromDecimal(exchange.parameter);
			if (id === undefined) throw new ApiError("pet_not_found");
			const { json, version } = await store.getPet(id);
			if (json === undefined) throw new ApiError("pet_not_found");
			cache.reply(exchange, { json, version, isSettled: true });
		},
	};
}

/**
 * Returns a function that reads a query: no parameter may be empty or given twice, and integers are plain digits.
 * @throws ApiError `unknown_parameter` or `invalid_parameter`, naming every broken parameter
 */
export function createQueryReader<S extends TObject>(schema: S): (text: string) => Static<S> {
	const check = checkOf(schema, int64FromDecimal);
	const names = Object.keys(schema.properties);
	return (text) => {
		const query = parse(text, "&", "=", { maxKeys: 0 });
		const unknown = Object.keys(query).filter((name) => !names.includes(name));
		if (unknown.length > 0) throw new ApiError("unknown_parameter", unknown, names);
		const checked = check(query);
		if (checked.faults) throw new ApiError("invalid_parameter", describeFaults(checked.faults));
		return checked.value;
	};
}

/** Whether the query's id was never assigned on this timeline: it is from an abandoned one, and will be used again. */
function isLost({ after = 0n, upTo = endOfList }: PageQuery, { version: { lastId } }: PetPage): boolean {
	return after > lastId || (upTo > lastId && upTo !== endOfList);
}

/** True if new animals cannot change the page: the page is full, or all ids up to its end are assigned. */
function isSettled({ upTo }: PageQuery, { hasMore, version }: PetPage): boolean {
	return upTo === undefined ? hasMore : upTo <= version.lastId;
}
