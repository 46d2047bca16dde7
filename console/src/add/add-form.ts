// The state of the form that adds an animal: the entries and the reply. This state outlives the form.

import type { NewPet, Pet } from "../../../src/contract/pet.ts";
import type { Fault } from "../../../src/contract/validate.ts";

export type Field = keyof NewPet;

export interface Adding {
	entries: Record<Field, string>;
	isPending: boolean;
	faults: readonly Fault[];
	failure?: unknown;
	/** An animal that may have been added. With this Idempotency-Key, anybody can send it again, and it is added once. */
	unsettled?: { pet: NewPet; key: string } | undefined;
	added?: Pet | undefined;
}

const noEntries = { name: "", categoryId: "", status: "" };
export const emptyForm: Adding = { entries: noEntries, isPending: false, faults: [] };
