// Tables of animals as three programs write them, each as CSV and as a workbook, in test/spreadsheets: Excel in German
// (Windows-1252, semicolons), Google Sheets in English and LibreOffice in French. All have a merged title, a date and an
// empty row above the heading, formulas with their results, an empty row in the middle and their own words for the
// status. Those in German and French end with totals, those in English with boxes that are not checked. LibreOffice 7.4
// wrote its two files. The others have the bytes and the parts that their programs write.

import { fileURLToPath } from "node:url";

export interface Spreadsheet {
	file: string;
	path: string;
	/** The beginning of the kind that is shown. */
	kind: string;
	/** Name, category and status of each animal. */
	pets: string[];
	/** The rows that are no animals, as the program counts them. */
	rejected: number[];
}

const german = [
	"Bello 1 available",
	"Jörg 2 sold",
	'Mia "die Wilde" 2 sold',
	"Müllers Minka 2 pending",
	"Max; Moritz 4 available",
	"Rex II 1 sold",
	"Igel ohne Namen 12 –",
	"Schnurri 2 sold",
	"O’Malley 9007199254740993 available",
];
const english = [
	'Duke "The Dog" 1 available',
	"Luna 🌙 2 sold",
	"Mr. Whiskers, Jr. 2 sold",
	"007 4 pending",
	"Zoë 1 pending",
	"Daisy 3 sold",
	"=Hugo 2 –",
	"Who? 1 available",
];
const french = [
	"Félix 2 available",
	"Chloé 1 sold",
	"L'Éclair 1 pending",
	"Noisette 3 pending",
	"Zoé II 2 sold",
	'Max, dit "le Gros" 2 –',
	"Œuf 12 sold",
	"Pelu 🐾 1 sold",
	"Mme Michu 9007199254740993 available",
];

const spreadsheet = (file: string, kind: string, pets: string[], rejected: number[]): Spreadsheet => {
	return { file, path: fileURLToPath(new URL(`../spreadsheets/${file}`, import.meta.url)), kind, pets, rejected };
};

export const spreadsheets = [
	spreadsheet("excel-german.csv", "CSV with semicolons, Windows-1252", german, [16]),
	spreadsheet("excel-german.xlsx", 'sheet "Tierbestand & Co" of a workbook', german, [16]),
	spreadsheet("google-sheets.csv", "CSV with commas, UTF-8", english, []),
	spreadsheet("google-sheets.xlsx", 'sheet "Animals 2026" of a workbook', english, []),
	spreadsheet("libreoffice.csv", "CSV with commas, UTF-8", french, [16]),
	spreadsheet("libreoffice.xlsx", 'sheet "Animaux" of a workbook', french, [16]),
];

interface ListedPet {
	name: string;
	categoryId: bigint | number;
	status?: string | undefined;
}

/** In the words of `pets`. */
export function describePet({ name, categoryId, status = "–" }: ListedPet): string {
	return `${name} ${categoryId} ${status}`;
}
