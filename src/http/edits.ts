// The console's private endpoints for editing: edits that name the state which was seen, and the history of an animal.

import { editsMax, PetEdit, SeenPet } from "../contract/edits.ts";
import { ApiError } from "../contract/errors.ts";
import { Pet } from "../contract/pet.ts";
import { petJson } from "../contract/pet-json.ts";
import { type Static, Type } from "../contract/schema.ts";
import { checkOf, describeFaults } from "../contract/validate.ts";
import { type EditRecord, type EditResult, type Edits, type NewEdit, StorageUnavailable } from "../store/store.ts";
import { parseBody, readBody } from "./body.ts";
import { callerOf } from "./checks.ts";
import type { Exchange } from "./exchange.ts";
import { createQueryReader } from "./pets.ts";

const checkEdit = checkOf(PetEdit);
const checkSeen = checkOf(SeenPet);
const readHistoryQuery = createQueryReader(Type.Object({ id: Pet.properties.id }));

/** @param eraseNames called after names were replaced */
export function createEditHandlers(edits: Edits, eraseNames: () => void) {
	return {
		async edit(exchange: Exchange): Promise<void> {
			const given = parseEdits(parseBody(await readBody(exchange.request)), callerOf(exchange).name);
			const results: EditResult[] = [];
			for (const edit of given) {
				try {
					results.push(await edits.apply(edit));
				} catch (error) {
					// The edits before it are stored: the reply has their results, and no more.
					const isEdited = results.some(({ outcome }) => outcome === "edited");
					if (!isEdited || !(error instanceof StorageUnavailable)) throw error;
					break;
				}
			}
			if (results.some(({ outcome }, index) => outcome === "edited" && given[index]?.action !== "set-status"))
				eraseNames();
			exchange.header("cache-control", "no-store").sendJson(`{"results":[${results.map(resultJson).join()}]}`);
		},
		async history(exchange: Exchange): Promise<void> {
			const { id } = readHistoryQuery(exchange.query);
			const records = await edits.ofPet(id, editsMax);
			exchange.header("cache-control", "no-store").sendJson(`{"edits":[${records.map(recordJson).join()}]}`);
		},
	};
}

function resultJson({ outcome, pet, by }: EditResult): string {
	const rest = JSON.stringify({ outcome, by });
	return pet ? `{"pet":${petJson(pet)},${rest.slice(1)}` : rest;
}

function recordJson({ id, petId: _, ...record }: EditRecord): string {
	return `{"id":${id},${JSON.stringify(record).slice(1)}`;
}

/** @throws ApiError `invalid_body` */
function parseEdits(body: unknown, editor: string): NewEdit[] {
	const { edits } = Object(body) as { edits?: unknown };
	if (!Array.isArray(edits) || edits.length === 0 || edits.length > editsMax)
		throw new ApiError("invalid_body", `edits is required and must be a list of 1 to ${editsMax} edits`);
	return edits.map((edit, index) => parseEdit(edit, `edits[${index}]`, editor));
}

function parseEdit(given: { seen?: unknown } | null, place: string, editor: string): NewEdit {
	const edit = checkEdit(given);
	if (edit.faults) throw new ApiError("invalid_body", `${place}: ${describeFaults(edit.faults)}`);
	const seen = checkSeen(given?.seen);
	if (seen.faults) throw new ApiError("invalid_body", `${place}.seen: ${describeFaults(seen.faults)}`);
	return { ...toChange(edit.value, place), petId: edit.value.id, editor, seen: seen.value };
}

function toChange({ action, name, status }: Static<typeof PetEdit>, place: string) {
	if (action === "set-status") return { action, status };
	if (action === "remove") return { action };
	if (name === undefined) throw new ApiError("invalid_body", `${place}: name is required for rename`);
	return { action, name };
}
