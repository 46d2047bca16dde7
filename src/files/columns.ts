// Finds the columns of a file, or the fields of a JSON object, that contain the fields of an animal.

import { NewPet, newPetFields } from "../contract/pet.ts";
import { FileError, quoteNames } from "./encoding.ts";

type Field = keyof NewPet;

/**
 * The column of each field: its name, or its position, because columns may have equal names or none; null if the field
 * is not taken from any column.
 */
export type Mapping = Partial<Record<Field, string | number | null>>;

export function isMappingField(name: string): name is Field {
	return (newPetFields as string[]).includes(name);
}

/** A column that is missing, unknown or duplicated: another mapping may help. */
export class ColumnError extends FileError {
	/** The field that several columns fit, and their names. If the names are equal, only a mapping by position helps. */
	choice?: { field: Field; names: string[] };
}

/**
 * The first row that names all required fields; otherwise the row that names the most fields: a person or a mapping can
 * add the others. Undefined if no row names a field. A row with one cell is a title.
 */
export function findHeading<Row extends { cells: string[] }>(rows: readonly Row[], mapping?: Mapping): Row | undefined {
	const rated = rows.map((row) => ({ row, rate: rateHeading(row.cells, mapping) }));
	const best = Math.max(0, ...rated.map(({ rate }) => rate));
	return best > 0 ? rated.find(({ rate }) => rate === best)?.row : undefined;
}

function rateHeading(cells: string[], mapping?: Mapping): number {
	const names = cells.map((cell) => cell.trim());
	if (names.filter((name) => name !== "").length < 2) return 0;
	const { at, unknown, missing } = findColumns(names, mapping);
	if (unknown.length + missing.length === 0) return newPetFields.length + 1;
	return newPetFields.filter((field) => at[field] !== -1).length;
}

/** Whether a row could be a heading whose names are all unknown: it has at least two texts. */
export function hasTexts({ cells }: { cells: string[] }): boolean {
	return cells.filter((cell) => /\p{L}/u.test(cell)).length > 1;
}

const words = (text: string): readonly string[] => text.split(/\s+/);

/** Such a column has the animals' names or, if another column has the names, their species. */
const animals = words("animal animals pet pets tier tiere haustier animaux animales mascota mascotas animais");
const categories = words("category categories kategorie kategorien categorie categoria categorias");

/**
 * Names of the fields in files, in English, German, French, Spanish and Portuguese, in the form of `plainName`. They
 * are ranked: names of earlier ranks are clearly better. "Tiername" says more than "Name", which may be a person's.
 */
const knownNames: Record<Field, readonly (readonly string[])[]> = {
	name: [
		words(`animalname animalsname petname petsname nameofanimal nameoftheanimal tiername tiernamen namedestieres
			namedertiere nomdelanimal nomanimal nomdesanimaux nombredelanimal nombreanimal nombredelamascota
			nomedoanimal nomeanimal nametier nameanimal`),
		words("name names namen rufname rufnamen callname nom noms nombre nombres nome nomes"),
		animals,
	],
	categoryId: [
		words(`categoryid categoryids categorynumber categoryno categorynr kategorieid kategorienr kategorieno
			kategorienummer kategorienummern categorieid idcategorie numerodecategorie nocategorie categoriaid idcategoria
			numerodecategoria`),
		categories,
		[
			...words(`species kind kinds type types breed breeds animaltype animalkind animalspecies pettype typeofanimal
			kindofanimal art arten tierart tierarten artdestieres rasse rassen tierrasse gattung gattungen tiergattung
			spezies espece especes race races typedanimal typeanimal especie especies raza razas tipo tipos tipodeanimal
			tipoanimal raca racas`),
			...animals,
		],
	],
	status: [
		words(`adoptionstatus animalstatus petstatus statusoftheanimal vermittlungsstatus tierstatus statutdadoption
			statutadoption estadodeadopcion estadodeadocao statusdeadocao situacaodeadocao`),
		words("status"),
		words(`state states availability zustand zustande verfugbarkeit verfugbarkeiten statut statuts etat etats
			disponibilite disponibilites estado estados disponibilidad disponibilidade situacion situacao`),
	],
};
const article = /^(?:(?:the|der|die|das|le|la|les|el|los|las|o|os|a|as)\s+|l['’])/;
/** Each field's own name is known, too. */
const rankOf = new Map(
	newPetFields.map((field) => {
		const known = knownNames[field].flatMap((names, rank) => names.map((name) => [name, rank] as const));
		return [field, new Map([[plainName(field), 0], ...known])];
	}),
);

const required: readonly string[] = NewPet.required;
/** Columns that exports and rejected rows add. */
const ours = ["id", "line", "reason"];

export type Columns = ReturnType<typeof findColumns>;

/** Matches names regardless of case, accents, signs and articles. A mapping overrides the names of its fields. */
export function findColumns(columns: readonly string[], mapping: Mapping = {}) {
	const unknown: string[] = [];
	const fits = Object.fromEntries(newPetFields.map((field) => [field, [] as number[]])) as Record<Field, number[]>;
	for (const field of newPetFields) {
		const wanted = mapping[field];
		if (wanted === undefined || wanted === null) continue;
		fits[field] = typeof wanted === "number" ? [wanted] : columnsNamed(wanted, columns);
		if (fits[field].length === 0) unknown.push(String(wanted));
	}
	const names = columns.map(knownName);
	for (const field of newPetFields)
		if (mapping[field] === undefined) fits[field] = bestColumns(field, names, Object.values(fits).flat());
	const taken = Object.values(fits).flat();
	// If another column has the category's number, a column "category" has its name.
	const isNamed = fits.categoryId.some((at) => rankOf.get("categoryId")?.get(names[at] ?? "") === 0);
	const isUnused = (name: string, index: number) => {
		if (name === "" || taken.includes(index) || ours.includes(plainName(name))) return false;
		return !(isNamed && categories.includes(names[index] ?? ""));
	};
	const at = Object.fromEntries(newPetFields.map((field) => [field, fits[field][0] ?? -1])) as Record<Field, number>;
	return {
		/** The position of each field's column; -1 if there is none. */
		at,
		/** The columns that fit a field equally well: if there are several, a person has to choose one. */
		fits,
		/** Columns that are not a field of an animal, except columns that exports and rejected rows add. */
		unused: columns.filter(isUnused),
		/** Required fields without a column. */
		missing: newPetFields.filter((field) => required.includes(field) && at[field] === -1),
		/** Columns that a mapping names and the file does not have. */
		unknown,
		/** Fields that several columns fit. */
		ambiguous: newPetFields.filter((field) => fits[field].length > 1),
	};
}

/** Finds the column of each field in this row. @throws ColumnError if one is unknown, missing or ambiguous */
export function checkColumns(
	{ columns, line, row }: { columns: string[]; line: number; row: number },
	mapping?: Mapping,
): Columns {
	const found = findColumns(columns, mapping);
	const { fits, unknown, missing, ambiguous } = found;
	const place = `; row ${row} has the columns ${quoteNames(columns)}`;
	const refuse = (why: string) => new ColumnError(why + place, line);
	if (unknown.length > 0) throw refuse(`there is no column ${quoteNames(unknown)}`);
	if (missing.length > 0) throw refuse(`no column is named "${missing.join('" or "')}"`);
	const [field] = ambiguous;
	if (!field) return found;
	const names = fits[field].map((index) => columns[index] ?? "");
	const isOneName = new Set(names).size === 1;
	const several = isOneName
		? `there are two columns ${quoteNames(names.slice(1, 2))}`
		: `several columns match ${field}: ${quoteNames(names)}`;
	throw Object.assign(refuse(several), { choice: { field, names } });
}

/** The columns with exactly this name; if there are none, those with the name in any spelling. */
function columnsNamed(wanted: string, columns: readonly string[]): number[] {
	const exact = positionsOf(wanted, columns);
	return exact.length > 0 ? exact : positionsOf(plainName(wanted), columns.map(plainName));
}

function positionsOf<Item>(wanted: Item, among: readonly Item[]): number[] {
	return among.flatMap((one, index) => (one === wanted ? [index] : []));
}

function bestColumns(field: Field, names: readonly string[], taken: readonly number[]): number[] {
	const ranks = names.map((name, index) => (taken.includes(index) ? undefined : rankOf.get(field)?.get(name)));
	return positionsOf(Math.min(...ranks.filter((rank) => rank !== undefined)), ranks);
}

const isKnown = (name: string) => [...rankOf.values()].some((ranks) => ranks.has(name));

/** The plain name, or its first word if only that is known: "Art" of "Art / Rasse", "Name" of "Name (Tier)". */
function knownName(name: string): string {
	const whole = plainName(name);
	if (isKnown(whole)) return whole;
	const first = plainName(name.replace(/[/(\n].*/s, ""));
	return isKnown(first) ? first : whole;
}

function plainName(name: string): string {
	return name
		.normalize("NFD")
		.toLowerCase()
		.trim()
		.replace(article, "")
		.replace(/[^\p{L}\p{N}]+/gu, "");
}
