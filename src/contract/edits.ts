// What the console sends to `/console/edits` and gets from it and from `/console/history`. Both are private to the
// console: they may change with it, and are not part of the interface.

import { NewPet, Pet, type PetStatus } from "./pet.ts";
import { type Static, Type } from "./schema.ts";

export const editActions = ["set-status", "rename", "remove"] as const;
/** The most edits of one request, and of one history. */
export const editsMax = 100;

const { name, status } = NewPet.properties;

/** The state of the animal that the editor saw: another state is a conflict. */
export const SeenPet = Type.Object({ name, status }, { description: "an object with name and optionally status" });
export type SeenPet = Static<typeof SeenPet>;

/** `name` is for `rename`. `status` is for `set-status`, which takes the status away if it is absent. */
export const PetEdit = Type.Object(
	{
		id: Pet.properties.id,
		action: Type.Enum(editActions, { description: `one of ${editActions.join(", ")}` }),
		name: Type.Optional(name),
		status,
	},
	{ description: "an object with id, action and seen" },
);
export type PetEdit = Static<typeof PetEdit> & { seen: SeenPet };

/** The reply to a request has one for each edit, in their order, and fewer if writes failed meanwhile. */
export interface EditResult {
	/**
	 * `unchanged`: the animal is already so, and nothing was recorded. `conflict`: it is not as it was seen, and nothing
	 * was changed. `removed`: an earlier edit removed the animal. `absent`: no edit knows the animal.
	 */
	outcome: "edited" | "unchanged" | "conflict" | "removed" | "absent";
	/** The animal after the edit, if there is one. */
	pet?: Pet;
	/** With `conflict` and `removed`: who edited the animal last; absent if nobody did. */
	by?: string;
}

/** An edit in the history of an animal, without names. Times are milliseconds since 1970. */
export interface PastEdit {
	id: bigint;
	atMs: number;
	editor: string;
	action: (typeof editActions)[number];
	fromStatus?: PetStatus;
	toStatus?: PetStatus;
	/** When the name that it replaced was erased. */
	erasedAtMs?: number;
}
