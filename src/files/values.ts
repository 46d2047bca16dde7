// Words instead of values: a status in people's words, or the name of a category. The program proposes meanings, and a
// person confirms or changes them. A row whose words have meanings is an animal.

import { CategoryName } from "../contract/category.ts";
import { comparedName, foldedText } from "../contract/equal-texts.ts";
import { type NewPet, newPetFields, type PetStatus, petStatuses } from "../contract/pet.ts";
import { Type } from "../contract/schema.ts";
import { checkOf, checkTexts, type Fault } from "../contract/validate.ts";

/** The fields whose values may be words. */
export const wordFields = ["status", "categoryId"] as const;
export type WordField = (typeof wordFields)[number];
/** The texts of an animal's fields. */
export type Texts = Partial<Record<keyof NewPet, string>>;
/** The texts that the file has instead of a status or a category, unchanged. */
type Words = Partial<Record<WordField, string>>;

/** The meanings of texts in the file; null means no value. */
export interface Values {
	/** The keys are results of `plainValue`. */
	status?: ReadonlyMap<string, PetStatus | null> | undefined;
	/** The keys are results of `comparedName`. A whole number is not looked up, because it is the category's number. */
	categoryId?: ReadonlyMap<string, bigint | null> | undefined;
	/** The numbers of the store's categories, if known: other numbers in a column of words are no categories. */
	numbers?: ReadonlySet<bigint> | undefined;
}

/** The words for each status in English, German, French, Spanish and Portuguese, including those that shelters use. */
const meanings: Record<PetStatus, string> = {
	available: `available, free, for adoption, up for adoption, adoptable, in shelter, verfügbar, verfügbare, verfügbarer,
		verfügbares, frei, freie, freier, freies, zu vermitteln, zu vergeben, vermittelbar, vermittelbare, vermittelbarer,
		disponible, disponibles, libre, libres, à adopter, à l'adoption, adoptables, en adopción, para adopción,
		adoptables, disponível, disponíveis, livre, livres, para adoção, adotável, adotáveis`,
	pending: `pending, reserved, on hold, adoption pending, ausstehend, reserviert, reservierte, reservierter,
		reserviertes, vorgemerkt, vorgemerkte, vorgemerkter, vorgemerktes, in vermittlung, en attente, en cours,
		réservé, réservée, réservés, réservées, pendiente, pendientes,
		reservado, reservada, reservados, reservadas, en trámite, pendente, pendentes,
		em espera`,
	sold: `sold, adopted, rehomed, verkauft, verkaufte, verkaufter, verkauftes, vermittelt, vermittelte, vermittelter,
		vermitteltes, adoptiert, adoptierte, adoptierter, adoptiertes, vendu, vendue, vendus, vendues, adopté, adoptée,
		adoptés, adoptées, vendido, vendida, vendidos, vendidas, adoptado, adoptada, adoptados, adoptadas, adotado, adotada,
		adotados, adotadas`,
};
const noValue = "keine, keiner, aucun, aucune, ninguno, ninguna, nenhum, nenhuma";
/** What programs and people write in a cell without a value, in any field. */
const nothing = new Set(["-", "--", "–", "—", "n/a", "#n/a", "na", "n.a.", "null", "(null)", "none"]);

const meaningOf = new Map<string, PetStatus | null>(
	[...petStatuses, null].flatMap((status) => {
		const texts = status === null ? noValue : meanings[status];
		return texts.split(",").map((text) => [plainValue(text), status] as const);
	}),
);

/** Returns the same text for cells that differ only in blanks and in what `foldedText` ignores. */
export function plainValue(text: string): string {
	return foldedText(text).trim().replace(/\s+/g, " ");
}

/** Whether a text means that the field has no value. "Na" may be a name. */
export function isNothing(text: string): boolean {
	return (
		/^\s*[-–—(#n]/i.test(text) && text.length < 20 && nothing.has(text.trim().toLowerCase()) && text.trim() !== "Na"
	);
}

const noNames = "unknown|unnamed|no ?name|unbekannt|namenlos|ohne namen?|inconnue?|sans nom|sin nombre|sem nome";
const nameless = new RegExp(`^([*?.\\-_\\s]*|${noNames})$`, "iu");

/** Whether a text in the field of the name says that the animal has no name. */
export function isNoName(text = ""): boolean {
	return /^\s*(?:$|[-–—(#*?._nuois])/i.test(text) && (isNothing(text) || nameless.test(text.trim()));
}

/** The status that a text probably means: null for "no status", undefined if the text is unknown. */
export function proposeStatus(text: string): PetStatus | null | undefined {
	return isNothing(text) ? null : meaningOf.get(plainValue(text));
}

export const checkCategoryName = checkOf(Type.Object({ name: CategoryName }));

/** The new category that a text probably names; undefined if the text cannot be a name, or means "no category". */
export function proposeCategory(text: string): string | undefined {
	const name = text.trim().replace(/\s+/g, " ");
	const isNone = proposeStatus(name) === null;
	return isNone || !isWord(name) || checkCategoryName({ name }).faults ? undefined : name;
}

/** Whether a text in the field of the category can be a name. No number is a name, not even "1E+20". */
export function isWord(text: string): boolean {
	const isNumber = /^[-+\d.,\s]+(e[-+]?\d+)?$/i.test(text.trim());
	return /\p{L}|\p{Extended_Pictographic}/u.test(text) && !isNumber;
}

/** A text in the rows of a file that is not a valid value of its field. */
export type UnknownValue = {
	/** The text as the first row has it, trimmed. */
	text: string;
	rows: number;
} & (
	| { field: "status"; proposed: PetStatus | null | undefined }
	/** The name of a new category. */
	| { field: "categoryId"; proposed: string | undefined }
);

/** At most this many distinct texts are counted, because a column with more is hardly one of statuses or categories. */
export const unknownMax = 1001;

/** Counts the texts that are not valid values: at most `unknownMax` distinct texts for each field. */
export function countUnknownValues() {
	const found = { status: new Map<string, UnknownValue>(), categoryId: new Map<string, UnknownValue>() };
	return {
		add(words: Words): void {
			for (const field of wordFields) {
				const { [field]: text } = words;
				if (text === undefined) continue;
				const plain = field === "status" ? plainValue(text) : comparedName(text);
				const value = found[field].get(plain) ?? { ...propose(field, text), rows: 0 };
				value.rows++;
				if (found[field].size < unknownMax) found[field].set(plain, value);
			}
		},
		/** Sorted by field, then by frequency, the most frequent first. */
		list: (): UnknownValue[] =>
			wordFields.flatMap((field) => [...found[field].values()].sort((one, other) => other.rows - one.rows)),
	};
}

/** Whether the row is an animal once its words have meanings. Any text in the status field can mean "no status". */
export function mayBeAnimal({ faults = [], unknown: { status, categoryId = "" } = {} }: Outcome): boolean {
	const isWordIn = (field: string | undefined) =>
		field === "status" ? status !== undefined : field === "categoryId" && proposeCategory(categoryId) !== undefined;
	return faults.every(({ field }) => isWordIn(field));
}

function propose(field: WordField, text: string) {
	if (field === "status") return { field, text: text.trim(), proposed: proposeStatus(text) };
	return { field, text: text.trim(), proposed: proposeCategory(text) };
}

export type Outcome =
	| { pet: NewPet; faults?: undefined; unknown?: undefined }
	/** `unknown`: the faulty texts that may be words for a status or a category. */
	| { pet?: undefined; faults: Fault[]; unknown?: Words };

/** Checks the fields after replacing known words by their meanings. @param hasAnyName whether "None" may be a name */
export function outcomeOf(given: Texts, values: Values = {}, hasAnyName = false): Outcome {
	const texts = { ...given };
	for (const field of newPetFields)
		if (isNothing(texts[field] ?? "") && !(hasAnyName && field === "name")) texts[field] = "";
	const { status, categoryId } = texts;
	if (status !== undefined) texts.status = statusOf(status, values.status);
	if (categoryId !== undefined) texts.categoryId = categoryOf(categoryId, values.categoryId);
	const { value, faults } = checkTexts(texts);
	if (!faults) return { pet: value };
	const isFault = (field: WordField) => faults.some((fault) => fault.field === field);
	const isUnknown = categoryId !== undefined && isWord(categoryId) && !values.categoryId?.has(comparedName(categoryId));
	const unknown = {
		...(status !== undefined && isFault("status") && { status }),
		...(isUnknown && isFault("categoryId") && { categoryId }),
	};
	return { faults, ...(Object.keys(unknown).length > 0 && { unknown }) };
}

/** The key in `Values.status` for all texts that have no meaning of their own. */
export const otherStatuses = "*";

const ownStatuses: ReadonlySet<string> = new Set([...petStatuses, ""]);

function statusOf(text: string, meanings: Values["status"]): string {
	const plain = ownStatuses.has(text) ? text : plainValue(text);
	const isOwn = ownStatuses.has(plain);
	const meaning = meanings?.get(isOwn || meanings.has(plain) ? plain : otherStatuses);
	if (meaning === undefined) return isOwn ? plain : text;
	return meaning ?? "";
}

function categoryOf(text: string, numbers: Values["categoryId"]): string {
	const id = numbers && isWord(text) ? numbers.get(comparedName(text)) : undefined;
	return id === undefined ? text : String(id ?? "");
}
