// The values of `status` as spreadsheets have them: what they probably mean, for a person to confirm, and the ones that
// were confirmed.

import { type PetStatus, petStatuses } from "../contract/pet.ts";

/** What texts of the file mean: a status, or null for no status. The keys are plain, as by `plainValue`. */
export type Values = ReadonlyMap<string, PetStatus | null>;

/** In English, German, French, Spanish and Portuguese. */
const meanings: Record<PetStatus, string> = {
	available: "available free verfügbar frei disponible disponibles disponível disponíveis",
	pending: `pending reserved ausstehend reserviert attente réservé réservée pendiente reservado reservada pendente`,
	sold: "sold verkauft vendu vendue vendido vendida",
};

const meaningOf = new Map(
	petStatuses.flatMap((status) => meanings[status].split(/\s+/).map((text) => [plainValue(text), status] as const)),
);

/** What decides whether two cells say the same: no case, no accents, no blanks around. */
export function plainValue(text: string): string {
	return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trim().replace(/\s+/g, " ");
}

/** The status that a text probably means; undefined if nothing is known of it. */
export function proposeStatus(text: string): PetStatus | undefined {
	return meaningOf.get(plainValue(text).replace(/^en /, ""));
}

/** A text that is no status, in the rows of a file. */
export interface UnknownValue {
	/** As the first row has it. */
	text: string;
	rows: number;
	proposed: PetStatus | undefined;
}

/** Distinct texts beyond that many are not values of a list. */
const unknownMax = 100;

/** Collects what stands where a status should be. */
export function countUnknownValues() {
	const found = new Map<string, UnknownValue>();
	return {
		add(text: string): void {
			const plain = plainValue(text);
			const known = found.get(plain);
			if (known) known.rows++;
			else if (found.size < unknownMax) found.set(plain, { text: text.trim(), rows: 1, proposed: proposeStatus(text) });
		},
		/** By frequency. */
		list: (): UnknownValue[] => [...found.values()].sort((one, other) => other.rows - one.rows),
	};
}
