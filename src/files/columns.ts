// Finds the columns of a file, or the fields of a JSON object, that hold the fields of an animal.

import { NewPet, newPetFields } from "../contract/pet.ts";

type Field = keyof NewPet;

/**
 * The column of a field by its name, or by its position where several may have the same name or none; null for a field
 * that is taken from no column.
 */
export type Mapping = Partial<Record<Field, string | number | null>>;

export function isMappingField(name: string): name is Field {
	return (newPetFields as string[]).includes(name);
}

export interface Columns {
	/** The position of each field among the columns; -1 where there is none. */
	at: Record<Field, number>;
	/** Columns that are no field of an animal, without those that exports and rejected rows add. */
	unused: string[];
	/** Required fields without a column. */
	missing: Field[];
	/** Columns that a mapping names and the file does not have. */
	unknown: string[];
	/** Fields with two columns of the same name. */
	ambiguous: Field[];
}

/**
 * The first of the rows under which rows can be animals, or else the one that names the most fields: with the others, a
 * person or a mapping helps. Undefined if no row names any. A row with one cell is a title.
 */
export function findHeading<Row extends { cells: string[] }>(rows: readonly Row[], mapping?: Mapping): Row | undefined {
	const rated = rows.map((row) => ({ row, rate: rateHeading(row.cells, mapping) }));
	const best = Math.max(0, ...rated.map(({ rate }) => rate));
	return best > 0 ? rated.find(({ rate }) => rate === best)?.row : undefined;
}

function rateHeading(cells: string[], mapping?: Mapping): number {
	const names = cells.map((cell) => cell.trim());
	if (names.filter((name) => name !== "").length < 2) return 0;
	const { at, unknown, missing, ambiguous } = findColumns(names, mapping);
	if (unknown.length + missing.length + ambiguous.length === 0) return newPetFields.length + 1;
	return newPetFields.filter((field) => at[field] !== -1).length;
}

const words = (text: string): readonly string[] => text.split(/\s+/);

/**
 * Other names of the fields in files, in English, German, French, Spanish and Portuguese, without blanks, accents
 * and signs. The first one that a file has is taken: beside a number of the category, "category" is its name.
 */
const otherNames: Record<Field, readonly string[]> = {
	name: words("rufname nom nombre nome animal tier"),
	categoryId: words(`categorynumber categoryno kategorieid kategorienr kategorienummer categorieid idcategorie
		numerodecategorie categoriaid idcategoria numerodecategoria category kategorie categorie categoria`),
	status: words(`state availability adoptionstatus zustand vermittlungsstatus verfugbarkeit statut etat disponibilite
		estado disponibilidad disponibilidade situacao`),
};
/** Names that say more than the field's own name: beside them, "name" is a person. */
const betterNames: Partial<typeof otherNames> = {
	name: words("animalname petname tiername namedestieres nomdelanimal nombredelanimal nomedoanimal"),
};

const required: readonly string[] = NewPet.required;
/** Columns that exports and rejected rows add. */
const ours = ["id", "line", "reason"];

/** Matches names without regard to case, accents and signs. A mapping overrides the names of its fields. */
export function findColumns(columns: readonly string[], mapping: Mapping = {}): Columns {
	const names = columns.map(plainName);
	const at = Object.fromEntries(newPetFields.map((field) => [field, -1])) as Record<Field, number>;
	const unknown: string[] = [];
	const ambiguous: Field[] = [];
	const taken = new Set<number>();
	const take = (field: Field, wanted: string, among: readonly string[]) => {
		at[field] = among.indexOf(wanted);
		if (at[field] === -1) return;
		if (among.indexOf(wanted, at[field] + 1) !== -1) ambiguous.push(field);
		taken.add(at[field]);
	};
	for (const field of newPetFields) {
		const wanted = mapping[field];
		if (wanted === undefined || wanted === null) continue;
		if (typeof wanted === "number") {
			at[field] = wanted;
			taken.add(wanted);
			continue;
		}
		take(field, wanted, columns);
		if (at[field] === -1) take(field, plainName(wanted), names);
		if (at[field] === -1) unknown.push(wanted);
	}
	const free = names.map((name, index) => (taken.has(index) ? "" : name));
	for (const field of newPetFields) {
		const known = [...(betterNames[field] ?? []), plainName(field), ...otherNames[field]];
		const found = known.find((name) => free.includes(name));
		if (mapping[field] === undefined && found !== undefined) take(field, found, free);
	}
	const isUnused = (name: string, index: number) => name !== "" && !taken.has(index) && !ours.includes(plainName(name));
	const missing = newPetFields.filter((field) => required.includes(field) && at[field] === -1);
	return { at, unused: columns.filter(isUnused), missing, unknown, ambiguous };
}

function plainName(name: string): string {
	return name
		.normalize("NFD")
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]+/gu, "");
}
