// The state of the form that adds an animal: its entries, the reply, and the Idempotency-Key that makes a second press
// safe.

import { ApiError, NoReply } from "../../client/src/index.ts";
import { brokenFieldsIn } from "../../src/contract/broken-fields.ts";
import { int64Max, int64Min } from "../../src/contract/int64.ts";
import type { NewPet, Pet, PetStatus } from "../../src/contract/pet.ts";
import { sentenceOf } from "./notes.tsx";
import type { Session } from "./session.ts";

export type Field = keyof NewPet;

export interface Problem {
	/** Undefined when the problem concerns no single field. */
	field: Field | undefined;
	rule: string;
}

export interface Adding {
	/** As entered. */
	entries: Record<Field, string>;
	isPending: boolean;
	problems: Problem[];
	failure?: unknown;
	/** A create with an unknown outcome. The same animal is sent again with the same Idempotency-Key. */
	unsettled?: { pet: NewPet; idempotencyKey: string | undefined } | undefined;
	added?: Pet | undefined;
}

const noEntries = { name: "", categoryId: "", status: "" };
export const emptyForm: Adding = { entries: noEntries, isPending: false, problems: [] };

/** Sends the entries. @param show called with each new state */
export async function add({ store }: Session, adding: Adding, show: (next: Adding) => void): Promise<Pet | undefined> {
	const { entries, unsettled } = adding;
	const problems = problemsOf(entries);
	if (problems.length > 0) {
		show({ ...adding, problems, failure: undefined, added: undefined });
		return undefined;
	}
	const pet = newPetOf(entries);
	show({ ...adding, isPending: true, added: undefined });
	const open = unsettled && isSame(unsettled.pet, pet) ? unsettled : undefined;
	try {
		const idempotencyKey = open?.idempotencyKey;
		const added = await store.createPet(pet, { idempotencyKey });
		show({ ...emptyForm, added });
		return added;
	} catch (failure) {
		const isOut = failure instanceof ApiError && failure.status === 401;
		const next = { entries, isPending: false, unsettled: unsettledBy(failure, pet) ?? open };
		show(isOut ? { ...next, problems: [] } : { ...next, problems: problemsIn(failure), failure });
		return undefined;
	}
}

/** Problems that the client cannot put into a request. The service checks everything else. */
function problemsOf({ name, categoryId }: Adding["entries"]): Problem[] {
	if (/^-?\d{1,19}$/.test(categoryId.trim())) return [];
	const isTooLong = /^-?\d{20,}$/.test(categoryId.trim());
	const rule = isTooLong ? `must be an integer from ${int64Min} to ${int64Max}` : "must be a whole number, such as 7";
	const problems: Problem[] = [{ field: "categoryId", rule }];
	return name.trim() === "" ? [{ field: "name", rule: "must not be empty" }, ...problems] : problems;
}

/** With a bigint, because a number rounds beyond 2^53. */
function newPetOf({ name, categoryId, status }: Adding["entries"]): NewPet {
	return { name, categoryId: BigInt(categoryId.trim()), status: (status || undefined) as PetStatus | undefined };
}

function problemsIn(failure: unknown): Problem[] {
	if (!(failure instanceof ApiError) || failure.code !== "invalid_body") return [];
	return brokenFieldsIn(failure.message).map(({ field, rule }) => ({
		field: isField(field) ? field : undefined,
		rule,
	}));
}

function isField(name: string | undefined): name is Field {
	return name !== undefined && Object.hasOwn(noEntries, name);
}

function unsettledBy(failure: unknown, pet: NewPet): Adding["unsettled"] {
	const isOpen = failure instanceof NoReply || (failure instanceof ApiError && failure.isUnsettled);
	return isOpen ? { pet, idempotencyKey: failure.idempotencyKey } : undefined;
}

function isSame(one: NewPet, other: NewPet): boolean {
	return one.name === other.name && one.categoryId === other.categoryId && one.status === other.status;
}

/** The text for a failure that concerns no single field. */
export function adviceOn({ failure, unsettled }: Adding): string {
	if (!unsettled) return sentenceOf(failure);
	const advice = "It is not known whether the animal was added. Press “Add” again: unchanged, it is added only once.";
	return `${sentenceOf(failure)} ${advice}`;
}
