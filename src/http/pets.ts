// The handlers of the three operations. The checks (checks.ts) and the validation have already passed.

import { gzipSync } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "../contract/errors.ts";
import { int64FromDecimal } from "../contract/int64.ts";
import { limitDefault, type OperationName, type operations } from "../contract/operations.ts";
import type { NewPet, Pet, Pets } from "../contract/pet.ts";
import type { Static } from "../contract/schema.ts";
import type { PetPage, Store } from "../store/store.ts";
import type { BaseUrlOf } from "./base-url.ts";
import { callerOf } from "./checks.ts";
import { entityTag, matchesTag, varyOn } from "./conditional.ts";
import { acceptsGzip } from "./encoding.ts";
import { createCursors, pageLinks } from "./paging.ts";
import { sendJson } from "./send-json.ts";

export type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

export interface PetsOptions {
	store: Store;
	baseUrlOf: BaseUrlOf;
	petJson: (pet: Pet) => string;
	petsJson: (pets: Pets) => string;
}

/** A handler for every operation of the contract: a missing one is a type error. */
export function createPetHandlers({
	store,
	baseUrlOf,
	petJson,
	petsJson,
}: PetsOptions): Record<OperationName, Handler> {
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
		async listPets(request, reply) {
			const { limit = limitDefault, status, cursor } = request.query as ListQuery;
			const position = cursor === undefined ? { after: 0n } : cursors.read(cursor, status);
			const page = await store.listPets({ ...position, status, limit });
			const base = baseUrlOf(request);
			const kept = madeOf.get(page);
			let made = kept;
			if (made?.base !== base) {
				made = { ...(made ?? bodyOf(page)), base, links: pageLinks(base, cursors, { position, limit, status, page }) };
				if (page.hasMore) madeOf.set(page, made); // No other page is kept by the store.
			}
			reply.header("link", made.links).header("vary", varyOn(reply, "Accept-Encoding"));
			const isCached = matchesTag(request.headers["if-none-match"], made.tag);
			if (!kept || isCached || made.body.length < gzipMinLength || !acceptsGzip(request.headers))
				return sendRead(request, reply, made);
			made.gzip ??= gzipOf(made);
			return sendRead(request, reply, made.gzip);
		},

		async createPet(request, reply) {
			const newPet = request.body as NewPet;
			const key = request.idempotencyKey;
			const idempotencyKey = key === undefined ? undefined : { caller: callerOf(request).id, key };
			const { id, outcome } = await store.createPet(newPet, idempotencyKey);
			if (outcome === "reused") {
				throw new ApiError(
					"idempotency_key_reused",
					"this Idempotency-Key was used with another body: repeat that body, or send a new key",
				);
			}
			if (outcome === "replayed") reply.header("idempotency-replayed", "true");
			reply
				.code(201)
				.header("location", `${baseUrlOf(request)}/pets/${id}`)
				.header("cache-control", "no-store");
			return sendJson(reply, petJson({ id, ...newPet }));
		},

		async getPet(request, reply) {
			const { petId } = request.params as { petId: string };
			const id = int64FromDecimal(petId);
			const pet = id === undefined ? undefined : await store.getPet(id);
			if (!pet) throw petNotFound();
			const body = petJson(pet);
			return sendRead(request, reply, { body, tag: entityTag(body) });
		},
	};
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

/** The query after validation.ts has checked it. */
type ListQuery = Static<typeof operations.listPets.query>;

export function petNotFound(): ApiError {
	return new ApiError("pet_not_found", "there is no animal with this id");
}

function sendRead(request: FastifyRequest, reply: FastifyReply, { body, tag, coding }: Representation): FastifyReply {
	reply.header("etag", tag).header("cache-control", "private, no-cache").header("vary", varyOn(reply, "Authorization"));
	if (matchesTag(request.headers["if-none-match"], tag)) return reply.code(304).send();
	if (coding) reply.header("content-encoding", coding);
	return sendJson(reply, body);
}
