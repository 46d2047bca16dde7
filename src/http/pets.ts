// The handlers of the three operations. Their requests have passed the checks (checks.ts).

import { ApiError } from "../contract/errors.ts";
import { int64FromDecimal } from "../contract/json.ts";
import { limitDefault, type OperationName, operations } from "../contract/operations.ts";
import { petJson } from "../contract/pet.ts";
import { checkFields } from "../contract/validate.ts";
import { endOfList, type PageQuery, type PetPage, type Store } from "../store/store.ts";
import { callerOf, readIdempotencyKey } from "./checks.ts";
import type { Exchange, Handler } from "./exchange.ts";
import { createQueryReader, readJson, validOf } from "./input.ts";
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

interface Parts extends PetOptions {
	cursors: ReturnType<typeof createCursors>;
	cache: ReturnType<typeof createResponseCache>;
}

/** Returns a handler for every operation of the contract: a missing handler is a type error. */
export function createPetHandlers(options: PetOptions): Record<OperationName, Handler> {
	const { store } = options;
	const parts: Parts = { ...options, cursors: createCursors(store.cursorSecret), cache: createResponseCache(store) };
	return {
		listPets: (exchange) => listPets(parts, exchange),
		createPet: (exchange) => createPet(parts, exchange),
		getPet: (exchange) => getPet(parts, exchange),
	};
}

async function listPets({ store, cursors, cache }: Parts, exchange: Exchange): Promise<void> {
	if (await cache.answers(exchange)) return;
	const { limit = limitDefault, cursor, ...filter } = readListQuery(exchange.query);
	const position = cursor === undefined ? { after: 0n } : cursors.read(cursor, filter);
	const query = { ...position, ...filter, limit };
	const page = await store.listPets(query);
	if (isLost(query, page)) throw new ApiError("invalid_cursor", "lost");
	const links = () => pageLinks(exchange.baseUrl, cursors, query, page);
	// The body does not show the links, so the ETag has a variant: a full last page gets `next` when animals are added.
	const variant = page.hasMore ? "+" : "";
	cache.reply(exchange, { ...page, isSettled: isSettled(query, page), links, variant });
}

async function createPet({ store, now }: Parts, exchange: Exchange): Promise<void> {
	readCreateQuery(exchange.query);
	const newPet = validOf(checkFields(await readJson(exchange)));
	const key = readIdempotencyKey(exchange.request.headers["idempotency-key"]);
	const idempotencyKey = key === undefined ? undefined : { caller: callerOf(exchange).id, key };
	const { id, outcome } = await store.createPet(newPet, idempotencyKey);
	if (outcome === "reused") throw new ApiError("idempotency_key_reused");
	if (outcome === "replayed") exchange.header("idempotency-replayed", "true");
	exchange.status = 201;
	// After getPet's removal, there is nothing at the address in Location.
	if (now() < operations.getPet.deprecation.sunsetMs) exchange.header("location", `${exchange.baseUrl}/pets/${id}`);
	exchange.header("cache-control", "no-store").sendJson(petJson({ id, ...newPet }));
}

async function getPet({ store, cache }: Parts, exchange: Exchange): Promise<void> {
	if (await cache.answers(exchange)) return;
	readGetQuery(exchange.query);
	const id = int64FromDecimal(exchange.path.slice(exchange.path.lastIndexOf("/") + 1));
	if (id === undefined) throw new ApiError("pet_not_found");
	const { json, version } = await store.getPet(id);
	if (json === undefined) throw new ApiError("pet_not_found");
	cache.reply(exchange, { json, version, isSettled: true });
}

/** Whether a restore has lost the query's id: the store has not assigned it, and a new animal will get it. */
function isLost({ after = 0n, upTo = endOfList }: PageQuery, { version: { lastId } }: PetPage): boolean {
	return after > lastId || (upTo > lastId && upTo !== endOfList);
}

/** True if new animals cannot change the page: the page is full, or all ids up to its end are assigned. */
function isSettled({ upTo }: PageQuery, { hasMore, version }: PetPage): boolean {
	return upTo === undefined ? hasMore : upTo <= version.lastId;
}
