// Finds the columns of a file, or the fields of a JSON object, that contain the fields of an animal.

import { foldedText } from "../contract/equal-texts.ts";
import { NewPet, newPetFields } from "../contract/pet.ts";
import { FileError, quoteNames } from "./encoding.ts";
import { isNothing, isWord, plainValue, proposeStatus } from "./values.ts";

type Field = keyof NewPet;

/**
 * The column of each field: its name, or its position, because columns may have equal names or none; null if the field
 * is not taken from any column.
 */
export type Mapping = Partial<Record<Field, string | number | null>>;

export function isMappingField(name: string): name is Field {
	return (newPetFields as string[]).includes(name);
}

/** The first rows below the heading: the evidence for what each column holds. */
export type Sample = readonly (readonly string[])[];

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
	// Any row has positions: only names tell a heading.
	const named = Object.entries(mapping ?? {}).filter(([, column]) => typeof column !== "number");
	const { at, unknown, missing } = findColumns(names, Object.fromEntries(named));
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
		words(`animalname animalsname animalcallname petname petsname nameofanimal nameoftheanimal tiername tiernamen
			namedestieres namedertiere nomdelanimal nomanimal nomdesanimaux nombredelanimal nombreanimal nombredelamascota
			nomedoanimal nomeanimal nametier nameanimal`),
		words("name names namen rufname rufnamen callname nom noms nombre nombres nome nomes"),
		animals,
		words("nickname spitzname surnom apodo apelido"),
	],
	categoryId: [
		words(`categoryid categoryids categorynumber categoryno categorynr kategorieid kategorienr kategorieno
			kategorienummer kategorienummern categorieid idcategorie numerodecategorie nocategorie categoriaid idcategoria
			numerodecategoria`),
		categories,
		words(`species speciesname animalspecies animalspeciesname animaltype animaltypename animalkind pettype petspecies
			commonname typeofanimal kindofanimal tierart tierarten artdestieres gattung gattungen tiergattung spezies espece
			especes typedanimal typeanimal especie especies tipodeanimal tipoanimal taxon taxonname`),
		[...words("kind kinds type types art arten tipo tipos sheet"), ...animals],
		words(`breed breeds breedname animalbreed primarybreed pribreed animalprimarybreed rasse rassen tierrasse race races
			raza razas raca racas`),
	],
	status: [
		words(`adoptionstatus animalstatus petstatus statusoftheanimal vermittlungsstatus tierstatus statutdadoption
			statutadoption estadodeadopcion estadodeadocao statusdeadocao situacaodeadocao`),
		words("status"),
		words(`state states availability zustand zustande verfugbarkeit verfugbarkeiten statut statuts etat etats
			disponibilite disponibilites estado estados disponibilidad disponibilidade situacion situacao`),
	],
};
const article = /^(?:(?:the|der|die|das|le|la|les|el|los|las|o|os|a|as)\s+|l')/;
/** Each field's own name is known, too. */
const rankOf = new Map(
	newPetFields.map((field) => {
		const known = knownNames[field].flatMap((names, rank) => names.map((name) => [name, rank] as const));
		return [field, new Map([[plainName(field), 0], ...known])];
	}),
);

const required: readonly string[] = NewPet.required;
/** Columns that exports, rejected rows and several sheets in one table add. */
const ours = ["id", "line", "reason", "sheet"];

export type Columns = ReturnType<typeof findColumns>;

/**
 * Matches names regardless of case, accents, signs and articles, and then looks at the values below them. A mapping
 * overrides the names of its fields.
 */
export function findColumns(columns: readonly string[], mapping: Mapping = {}, sample: Sample = []) {
	const unknown: string[] = [];
	const fits = Object.fromEntries(newPetFields.map((field) => [field, [] as number[]])) as Record<Field, number[]>;
	for (const field of newPetFields) {
		const wanted = mapping[field];
		if (wanted === undefined || wanted === null) continue;
		fits[field] = typeof wanted === "number" ? positionsOf(wanted, [...columns.keys()]) : columnsNamed(wanted, columns);
		if (fits[field].length === 0) unknown.push(typeof wanted === "number" ? `#${wanted + 1}` : wanted);
	}
	const names = columns.map(knownName);
	for (const field of newPetFields) {
		if (mapping[field] !== undefined) continue;
		fits[field] = bestColumns(rankedColumns(field, names, Object.values(fits).flat(), sample), field, sample);
	}
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
		/** Columns that could be the category, too, but are finer than the one that is. */
		finer: mapping.categoryId === undefined ? finerColumns(names, taken, sample) : [],
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
	{ columns, line, row, sample }: { columns: string[]; line: number; row: number; sample: Sample },
	mapping?: Mapping,
	isOptional: (field: Field) => boolean = () => false,
): Columns {
	const found = findColumns(columns, mapping, sample);
	const { fits, unknown, ambiguous } = found;
	const missing = found.missing.filter((field) => !isOptional(field));
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

/** Of several columns, the one next to the category: a list with people has their names elsewhere. */
export function likeliest(field: Field, fits: Columns["fits"]): number {
	const [category = 0] = fits.categoryId;
	const distance = (at: number) => (field === "name" ? Math.abs(at - category) : 0);
	return fits[field].toSorted((one, other) => distance(one) - distance(other))[0] ?? 0;
}

/** The columns with exactly this name; if there are none, those with the name in any spelling. */
export function columnsNamed(wanted: string, columns: readonly string[]): number[] {
	const exact = positionsOf(wanted, columns);
	return exact.length > 0 ? exact : positionsOf(plainName(wanted), columns.map(plainName));
}

function positionsOf<Item>(wanted: Item, among: readonly Item[]): number[] {
	return among.flatMap((one, index) => (one === wanted ? [index] : []));
}

interface RankedColumn {
	at: number;
	/** How well its name says that it holds the field: 0 is best. */
	rank: number;
}

/** The columns whose names and values fit a field. */
function rankedColumns(
	field: Field,
	names: readonly string[],
	taken: readonly number[],
	sample: Sample,
): RankedColumn[] {
	const named = names.flatMap((name, at) => {
		const rank = taken.includes(at) ? undefined : rankOf.get(field)?.get(name);
		return rank === undefined ? [] : [{ at, rank }];
	});
	if (field === "status") return named.filter(({ at, rank }) => mayBeStatuses(valuesOf(sample, at), rank));
	const filled = named.filter(({ at }) => valuesOf(sample, at).length > 0);
	return filled.length > 0 ? filled : named;
}

const valuesOf = (sample: Sample, at: number) =>
	sample.map((cells) => cells[at]?.trim() ?? "").filter((text) => text !== "" && !isNothing(text));

/** A name such as "State" has other meanings, so a value must be a known word; below "Status", words are enough. */
function mayBeStatuses(values: readonly string[], rank: number): boolean {
	if (values.length === 0 || values.some((value) => proposeStatus(value) !== undefined)) return true;
	return rank < 2 && values.filter(isWord).length * 2 > values.length;
}

/** The best columns; of several categories, the one with the fewest values. */
function bestColumns(ranked: readonly RankedColumn[], field: Field, sample: Sample): number[] {
	const bestRank = Math.min(...ranked.map(({ rank }) => rank));
	const best = ranked.filter(({ rank }) => rank === bestRank).map(({ at }) => at);
	if (field !== "categoryId" || best.length < 2 || bestRank < kindRank) return best;
	const sizes = best.map((at) => new Set(valuesOf(sample, at).map(plainValue)).size);
	return best.filter((_, index) => sizes[index] === Math.min(...sizes));
}

/** From this rank on, a column has the kinds of animals in words. */
const kindRank = 2;

function finerColumns(names: readonly string[], taken: readonly number[], sample: Sample): number[] {
	const isTaken = taken.some((at) => (rankOf.get("categoryId")?.get(names[at] ?? "") ?? 0) >= kindRank);
	const others = isTaken ? rankedColumns("categoryId", names, taken, sample) : [];
	return others.filter(({ at, rank }) => rank >= kindRank && !ours.includes(names[at] ?? "")).map(({ at }) => at);
}

/**
 * The columns of a table whose heading says too little, by their values: a column of words that repeat has the
 * categories, one of words that differ the names. Undefined if there are not two such columns.
 */
export function columnsByValues(sample: Sample): (Mapping & { name: number; categoryId: number }) | undefined {
	const width = Math.max(0, ...sample.map((cells) => cells.length));
	const columns = Array.from({ length: width }, (_, at) => {
		const values = valuesOf(sample, at);
		const share = (is: (value: string) => boolean) => values.filter(is).length / values.length;
		const isStatus = share((value) => proposeStatus(value) !== undefined) > 0.5;
		const isWords = share((value) => isWord(value) && !/\d/.test(value) && !sexes.test(value)) > 0.5;
		return { at, isStatus, isWords, distinct: new Set(values.map(plainValue)).size };
	});
	const kind = kindColumn(sample, []);
	const [name, ...others] = columns
		.filter(({ at, isStatus, isWords }) => isWords && !isStatus && at !== kind)
		.sort((one, other) => other.distinct - one.distinct);
	const category = kind === -1 ? others.find(({ distinct }) => distinct === others.at(-1)?.distinct)?.at : kind;
	const status = columns.find(({ isStatus }) => isStatus);
	if (!name || category === undefined) return undefined;
	return { name: name.at, categoryId: category, ...(status && { status: status.at }) };
}

const sexes = /^(.|male|female|männlich|weiblich|mâle|femelle|macho|hembra|fêmea)$/iu;
/** Kinds of animals that many lists have, after `plainName`. */
const kinds = new Set(
	words(`dog dogs cat cats bird rabbit horse cow cattle sheep goat pig chicken duck parrot hamster fish turtle
		hund hunde katze katzen kater vogel kaninchen pferd kuh schaf ziege schwein huhn fisch schildkrote chien
		chienne chat chatte oiseau lapin cheval vache mouton chevre cochon poule perroquet poisson tortue perro
		perra gato gata ave pajaro conejo caballo vaca oveja cabra cerdo gallina loro pez tortuga cachorro cao
		passaro coelho cavalo ovelha porco galinha papagaio peixe tartaruga`),
);

export const isKind = (text: string) => kinds.has(plainName(text));

/** The column in which most values are such kinds; -1 if there is none. */
export function kindColumn(sample: Sample, taken: readonly number[]): number {
	const width = Math.max(0, ...sample.map((cells) => cells.length));
	return Array.from({ length: width }, (_, at) => at).findIndex((at) => {
		const values = taken.includes(at) ? [] : valuesOf(sample, at);
		return values.filter(isKind).length * 2 > values.length;
	});
}

/** Names of columns that identify an animal in its list; the first group says that they do. */
const idNouns = "id|nr|no|number|nummer|numero|tag|chip|microchip|code";
const idOwners = "lfd|record|register|registration|intake|case|shelter";
const idName = new RegExp(`^(animals?|pets?|tier|mascota|ear|(?:micro)?chip|tag)?(?:${idOwners})?(?:${idNouns})$`);

/** Whether a table is an export of this store, whose ids are new in another one. */
export const isOwnExport = (columns: readonly string[]) =>
	["id", "name", "categoryId"].every((name) => columns.includes(name));

/**
 * The column that tells the animals of a list apart: it is named like an animal's id, or like an id, and each row has a
 * value; -1 if none.
 */
export function idColumn(columns: readonly string[], { at }: Columns, sample: Sample): number {
	if (isOwnExport(columns)) return -1;
	const isFilled = (index: number) => sample.length > 0 && valuesOf(sample, index).length === sample.length;
	const fits = columns.flatMap((column, index) => {
		const [isId, ofAnimals] = idName.exec(plainName(column)) ?? [];
		const isFree = !Object.values(at).includes(index);
		return isId !== undefined && isFree && isFilled(index) ? [{ index, ofAnimals }] : [];
	});
	return (fits.find(({ ofAnimals }) => ofAnimals !== undefined) ?? fits[0])?.index ?? -1;
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
	return foldedText(name)
		.trim()
		.replace(article, "")
		.replace(/[^\p{L}\p{M}\p{N}]+/gu, "");
}
