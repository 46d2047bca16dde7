// Tables of animals in test/spreadsheets. There are a CSV and a workbook of each of three programs: Excel in German
// (Windows-1252, semicolons), Google Sheets in English, LibreOffice in French. All have a merged title, a date and an
// empty row above the heading, formulas with results, an empty row in the middle, and their own words for statuses.
// The German and French files end with totals, the English files with unchecked boxes. LibreOffice 7.4 wrote the French
// files; the other four were made with the bytes and parts that the other programs write. The shelters' tables name
// categories in words. LibreOffice 7.4 wrote six of them, three from its own templates, and openpyxl 3.1 wrote three.

import { fileURLToPath } from "node:url";
import { listAll } from "./ledger.ts";
import type { TestService } from "./service.ts";

/** The items of a text, which | separates. */
const list = (text: string) => text.split("|").map((item) => item.trim());

const german = list(`
	Bello 1 available | Jörg 2 sold | Mia "die Wilde" 2 sold | Müllers Minka 2 pending | Max; Moritz 4 available |
	Rex II 1 sold | Igel ohne Namen 12 – | Schnurri 2 sold | O’Malley 9007199254740993 available`);
const english = list(`
	Duke "The Dog" 1 available | Luna 🌙 2 sold | Mr. Whiskers, Jr. 2 sold | 007 4 pending | Zoë 1 pending |
	Daisy 3 sold | =Hugo 2 – | Who? 1 available`);
const french = list(`
	Félix 2 available | Chloé 1 sold | L'Éclair 1 pending | Noisette 3 pending | Zoé II 2 sold |
	Max, dit "le Gros" 2 – | Œuf 12 sold | Pelu 🐾 1 sold | Mme Michu 9007199254740993 available`);

const pathOf = (file: string) => fileURLToPath(new URL(`../spreadsheets/${file}`, import.meta.url));

/** @param kind the beginning of the description of the file's kind @param pets name, category and status of each animal */
const spreadsheet = (file: string, kind: string, pets: string[]) => ({ file, path: pathOf(file), kind, pets });

export const spreadsheets = [
	spreadsheet("excel-german.csv", "CSV with semicolons, Windows-1252", german),
	spreadsheet("excel-german.xlsx", 'sheet "Tierbestand & Co" of a workbook', german),
	spreadsheet("google-sheets.csv", "CSV with commas, UTF-8", english),
	spreadsheet("google-sheets.xlsx", 'sheet "Animals 2026" of a workbook', english),
	spreadsheet("libreoffice.csv", "CSV with commas, UTF-8", french),
	spreadsheet("libreoffice.xlsx", 'sheet "Animaux" of a workbook', french),
];

/** The name, category name and status of each animal in the tables of shelters. */
const shelters = {
	"tierheim-bestand.xlsx": `
		Bello Hund available | Mausi Katze pending | Hansi Vogel sold | Frieda Hund pending |
		Möhre Kaninchen available | Krümel Kaninchen available | Minka Katze sold`,
	"refuge-registre.xlsx": "Praline Chienne available | Gribouille Chat pending | Œdipe Chat sold | Noisette Lapin sold",
	"protectora-inventario.xlsx": `
		Canelo Perro available | Luna Gato pending | Toby Perro sold | Nieve Gato sold | Pipo Pájaro available |
		Rayo Tortuga –`,
	"adoptions-table.xlsx": `
		Biscuit Dog available | Whiskers Cat sold | Thumper Rabbit pending | O'Brien Dog pending |
		Sir Purr-a-Lot, III Cat available | Shelly Tortoise available`,
	"fundtiere.xlsx": "Struppi Hund sold | Tapsi Katze pending | Lotte Katze available | Speedy Schildkröte sold",
	"asile-tierasyl.xlsx": `
		Filou Chien available | Mina Chat pending | Max Chien sold | Coco Oiseau available | Lili Chat sold`,
	"template-marine.xlsx": `
		Rex Hund sold | Mia Katze available | Coco Vogel pending | Bello Hund available | Findus Frettchen –`,
	"template-autumn-leaves.xlsx": "Médor Chien sold | Félix Chat available | Kiwi Perruche pending | Zoé Chat available",
	"template-pool-party.xlsx": "Toby Perro sold | Luna Gata available | Nala Perro pending",
};

/** Tables of shelters: LibreOffice wrote six, openpyxl three. The rows of an `unknown` status are left out. */
export const shelterTables = Object.entries(shelters).map(([file, pets]) => ({
	...{ file, path: pathOf(file), pets: list(pets) },
	unknown: file === "fundtiere.xlsx" ? "nicht vermittelbar" : undefined,
}));

interface ListedPet {
	name: string;
	categoryId: bigint | number;
	status?: string | undefined;
}

/** Describes an animal in the format of `pets`. */
export function describePet({ name, categoryId, status = "–" }: ListedPet): string {
	return `${name} ${categoryId} ${status}`;
}

/** The animals of a service, in the format of the `pets` of `shelterTables`. */
export async function petsInWords({ url, key, store }: TestService): Promise<string[]> {
	const names = new Map((await store.categories.list(1000)).map(({ id, name }) => [id, name]));
	const pets = await listAll(url, key);
	return pets.map(({ name, categoryId, status = "–" }) => `${name} ${names.get(categoryId)} ${status}`);
}
