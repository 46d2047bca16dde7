// The handlers of the three operations. The checks (checks.ts) have already passed.

import { gzipSync } from "node:zlib";
import { ApiError } from "../contract/errors.ts";
import { int64FromDecimal } from "../contract/json.ts";
import { limitDefault, type OperationName, operations } from "../contract/operations.ts";
import { petJson, petsJson } from "../contract/pet-json.ts";
import type { Static, TObject } from "../contract/schema.ts";
import type { PetPage, Store } from "../store/store.ts";
import { parseNewPet, readBody } from "./body.ts";
import { callerOf } from "./checks.ts";
import type { Exchange, Handler } from "./exchange.ts";
import { createCursors, pageLinks } from "./paging.ts";
import type { BaseUrlOf } from "./proxies.ts";
import { createQueryReader } from "./query.ts";
import { acceptsGzip, entityTag, matchesTag } from "./request-headers.ts";

export interface PetOptions {
	store: Store;
	baseUrlOf: BaseUrlOf;
	/** Milliseconds since 1970. */
	now: () => number;
}

/** A handler for every operation of the contract: a missing one is a type error. */
export function createPetHandlers({ store, baseUrlOf, now }: PetOptions): Record<OperationName, Handler> {
	const cursors = createCursors(store.cursorSecret);
	/** The store returns the same page again while it is unchanged. */
	const madeOf = new WeakMap<PetPage, MadePage>();

	function bodyOf(page: PetPage): Pick<MadePage, "body" | "tag"> {
		const body = petsJson(page.pets);
		// A full last page gets a `next` link when more animals are created: the reply changes, the body does not. The
		// other links depend only on the URL.
		return { body, tag: entityTag(body, page.hasMore ? "+" : "") };
	}

	return {
		listPets: withQuery(operations.listPets.query, async (exchange, { limit = limitDefault, status, cursor }) => {
			const position = cursor === undefined ? { after: 0n } : cursors.read(cursor, status);
			const page = await store.listPets({ ...position, status, limit });
			if (page.isLost) throw new ApiError("invalid_cursor", "lost");
			const { headers } = exchange.request;
			const base = baseUrlOf(exchange.request);
			const kept = madeOf.get(page);
			let made = kept;
			if (made?.base !== base) {
				made = { ...(made ?? bodyOf(page)), base, links: pageLinks(base, cursors, { position, limit, status, page }) };
				if (page.hasMore) madeOf.set(page, made); // No other page is kept by the store.
			}
			exchange.header("link", made.links).vary("Accept-Encoding");
			const isCached = matchesTag(headers["if-none-match"], made.tag);
			if (!kept || isCached || made.body.length < gzipMinLength || !acceptsGzip(headers))
				return sendRead(exchange, made);
			made.gzip ??= gzipOf(made);
			sendRead(exchange, made.gzip);
		}),

		createPet: withQuery(operations.createPet.query, async (exchange) => {
			const newPet = parseNewPet(await readBody(exchange.request));
			const key = exchange.idempotencyKey;
			const idempotencyKey = key === undefined ? undefined : { caller: callerOf(exchange).id, key };
			const { id, outcome } = await store.createPet(newPet, idempotencyKey);
			if (outcome === "reused") {
				throw new ApiError("idempotency_key_reused");
			}
			if (outcome === "replayed") exchange.header("idempotency-replayed", "true");
			exchange.status = 201;
			// From getPet's removal on, nothing answers there.
			if (now() < operations.getPet.deprecation.sunsetMs)
				exchange.header("location", `${baseUrlOf(exchange.request)}/pets/${id}`);
			exchange.header("cache-control", "no-store").sendJson(petJson({ id, ...newPet }));
		}),

		getPet: withQuery(operations.getPet.query, async (exchange) => {
			const id = int64FromDecimal(exchange.parameter);
			const pet = id === undefined ? undefined : await store.getPet(id);
			if (!pet) throw new ApiError("pet_not_found");
			const body = petJson(pet);
			sendRead(exchange, { body, tag: entityTag(body) });
		}),
	};
}

/** A handler that gets the query after its check. */
function withQuery<S extends TObject>(
	schema: S,
	handle: (exchange: Exchange, query: Readonly<Static<S>>) => Promise<void>,
): Handler {
	const readQuery = createQueryReader(schema);
	return (exchange) => handle(exchange, readQuery(exchange.query));
}

interface Representation {
	body: string | Buffer;
	tag: string;
	coding?: "gzip";
}

/** The reply of a page, with links for one base URL. */
interface MadePage extends Representation {
	body: string;
	base: string;
	links: string;
	/** Made when it is first asked for. */
	gzip?: Representation;
}

/** A shorter body fits into one packet anyway. */
const gzipMinLength = 1000;

function gzipOf({ body, tag }: MadePage): Representation {
	return { body: gzipSync(body), tag: `${tag.slice(0, -1)}gz"`, coding: "gzip" };
}

function sendRead(exchange: Exchange, { body, tag, coding }: Representation): void {
	exchange.header("etag", tag).header("cache-control", "private, no-cache").vary("Authorization");
	if (matchesTag(exchange.request.headers["if-none-match"], tag)) return void exchange.sendStatus(304);
	if (coding) exchange.header("content-encoding", coding);
	exchange.sendJson(body);
}
