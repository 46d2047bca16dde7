// The state of the form that adds an animal, which outlives the form: its entries and the reply.

import type { NewPet, Pet } from "../../src/contract/pet.ts";
import type { Fault } from "../../src/contract/validate.ts";
import type { Lost } from "./look-up.ts";

export type Field = keyof NewPet;

export interface Adding {
	/** As entered. */
	entries: Record<Field, string>;
	isPending: boolean;
	faults: readonly Fault[];
	failure?: unknown;
	/** A create with an unknown outcome. The same animal is repeated with the same Idempotency-Key. */
	unsettled?: Unsettled | undefined;
	/** Why “Add” would send an animal that got no reply as a new one: a sentence for the user. */
	missing?: string | undefined;
	added?: Pet | undefined;
	/** The newest id that is known. */
	newest?: bigint | undefined;
}

export interface Unsettled {
	pet: NewPet;
	idempotencyKey: string | undefined;
	/** The newest id that was known before. */
	after: bigint | undefined;
	lost: Lost;
}

const noEntries = { name: "", categoryId: "", status: "" };
export const emptyForm: Adding = { entries: noEntries, isPending: false, faults: [] };
