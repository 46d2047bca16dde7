// The words that identify columns, in English, German, French, Spanish and Portuguese: names of columns, and kinds of
// animals in their cells.

import { foldedText } from "../contract/equal-texts.ts";
import { type NewPet, newPetFields } from "../contract/pet.ts";

const words = (text: string): readonly string[] => text.split(/\s+/);

/** Columns with such a heading have the animals' names or, if another column has the names, the species. */
const animals = words("animal animals pet pets tier tiere haustier animaux animales mascota mascotas animais");
export const categories = words("category categories kategorie kategorien categorie categoria categorias");

/**
 * Headings of each field's column, in the form of `plainName`. A heading of an earlier rank is clearly better:
 * "Tiername" says more than "Name", which may be a person's.
 */
const knownNames: Record<keyof NewPet, readonly (readonly string[])[]> = {
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
		words("status estatus"),
		words(`state states availability zustand zustande verfugbarkeit verfugbarkeiten statut statuts etat etats
			disponibilite disponibilites estado estados disponibilidad disponibilidade situacion situacao`),
	],
};
const article = /^(?:(?:the|der|die|das|le|la|les|el|los|las|o|os|a|as)\s+|l')/;
/** Each field's own name is known, too. */
const ranks = new Map(
	newPetFields.map((field) => {
		const known = knownNames[field].flatMap((names, rank) => names.map((name) => [name, rank] as const));
		return [field, new Map([[plainName(field), 0], ...known])];
	}),
);

/** How well a name, after `knownName`, says that its column holds the field: 0 is best; undefined if it does not. */
export const rankOf = (field: keyof NewPet, name: string): number | undefined => ranks.get(field)?.get(name);

/** Whether a name, after `knownName`, means a field. */
export const isKnown = (name: string) => newPetFields.some((field) => rankOf(field, name) !== undefined);

/** The plain name; if only its first part is known, that part: "Art" of "Art / Rasse", "Name" of "Name (Tier)". */
export function knownName(name: string): string {
	const whole = plainName(name);
	if (isKnown(whole)) return whole;
	const first = plainName(name.replace(/[/(\n].*/s, ""));
	return isKnown(first) ? first : whole;
}

export function plainName(name: string): string {
	return foldedText(name)
		.trim()
		.replace(article, "")
		.replace(/#|№/g, "no")
		.replace(/[^\p{L}\p{M}\p{N}]+/gu, "");
}

export const sexes = /^(.|male|female|männlich|weiblich|mâle|femelle|macho|hembra|fêmea)$/iu;
/** Kinds of animals that occur in many lists, in the form of `plainName`, also in Italian and Dutch. */
const kinds = new Set(
	words(`dog dogs cat cats bird rabbit horse cow cattle sheep goat pig chicken duck parrot hamster fish turtle
		hund hunde katze katzen kater vogel kaninchen pferd kuh schaf ziege schwein huhn fisch schildkrote chien
		chienne chat chatte oiseau lapin cheval vache mouton chevre cochon poule perroquet poisson tortue perro
		perra gato gata ave pajaro conejo caballo vaca oveja cabra cerdo gallina loro pez tortuga cachorro cao
		passaro coelho cavalo ovelha porco galinha papagaio peixe tartaruga canine feline
		cane cani gatto gatti coniglio uccello cavallo hond honden kat katten konijn paard`),
);

export const isKind = (text: string) => kinds.has(plainName(text));

/** `otherName` matches further headings of animals' names, `ofOthers` headings of other names, such as people's. */
const otherName = /(name|namen|nom|nombre|nome)$|^(name|nom|nombre|nome|title|titel|titre|titulo)/;
const ofOthers = new RegExp(
	"owner|client|customer|adopter|keeper|contact|last|first|sur|vor|nach|famil|halter|besitzer|kunde|propiet|propriet|" +
		"dueno|tutor|breed|species|common|scientific|taxon|latin|colou?r|shelter|location|file",
);

/** Whether a heading may be that of the animals' names, such as "House name", or "Dog" in a list of dogs. */
export function mayBeName(heading: string): boolean {
	const name = plainName(heading);
	return isKind(name) || (otherName.test(name) && !ofOthers.test(name));
}

/** `idName` matches names of columns with ids. One of its groups matches if the name says that the ids are animals'. */
const idNouns = "id|nr|no|number|nummer|numero|tag|chip|microchip|code|codigo";
const idOwners =
	"lfd|record|register|registration|intake|case|shelter|rescue|licen[cs]e|patient|dog|cat|horse|studbook|zuchtbuch|" +
	"lebens";
const idAnimals = "animals?|pets?|tier|mascota|ear|(?:micro)?chip|tag";
export const idName = new RegExp(
	`^(?:(${idAnimals})?(?:${idOwners})?(?:${idNouns})|` +
		`(?:n|${idNouns})(?:de|del|do|d)?(${idAnimals}|puce|identification)|(ohrmarke|transponder))$`,
);
