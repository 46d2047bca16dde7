// The values of `status` in spreadsheets: their probable meanings, which a person confirms or changes.

import { type PetStatus, petStatuses } from "../contract/pet.ts";

/** The meanings of texts in the file: a status, or null for no status. The keys are those of `plainValue`. */
export type Values = ReadonlyMap<string, PetStatus | null>;

/** In English, German, French, Spanish and Portuguese, also the words of shelters. */
const meanings: Record<PetStatus, string> = {
	available: `available, free, for adoption, adoptable, verfügbar, frei, zu vermitteln, vermittelbar, disponible,
		disponibles, à adopter, en adopción, disponível, disponíveis, para adoção`,
	pending: `pending, reserved, on hold, ausstehend, reserviert, vorgemerkt, in vermittlung, en attente, réservé,
		réservée, pendiente, reservado, reservada, pendente`,
	sold: `sold, adopted, rehomed, verkauft, vermittelt, vendu, vendue, adopté, adoptée, vendido, vendida, adoptado,
		adoptada, adotado, adotada`,
};
const noStatus = "-, –, —, n/a, none, keine, keiner, aucun, aucune, ninguno, nenhum";

const meaningOf = new Map<string, PetStatus | null>(
	[...petStatuses, null].flatMap((status) => {
		const texts = status === null ? noStatus : meanings[status];
		return texts.split(",").map((text) => [plainValue(text), status] as const);
	}),
);

/** The same for cells that differ only in case, accents and blanks. */
export function plainValue(text: string): string {
	return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trim().replace(/\s+/g, " ");
}

/** What a text probably means: a status, or null for none; undefined if the text is unknown. */
export function proposeStatus(text: string): PetStatus | null | undefined {
	return meaningOf.get(plainValue(text));
}

/** A text in place of a status in the rows of a file. */
export interface UnknownValue {
	/** As it is in the first row. */
	text: string;
	rows: number;
	proposed: PetStatus | null | undefined;
}

/** A column with more distinct texts is not a list of values. */
const unknownMax = 100;

/** Counts the texts in place of a status. */
export function countUnknownValues() {
	const found = new Map<string, UnknownValue>();
	return {
		add(text: string): void {
			const plain = plainValue(text);
			const known = found.get(plain);
			if (known) known.rows++;
			else if (found.size < unknownMax) found.set(plain, { text: text.trim(), rows: 1, proposed: proposeStatus(text) });
		},
		/** The most frequent first. */
		list: (): UnknownValue[] => [...found.values()].sort((one, other) => other.rows - one.rows),
	};
}
