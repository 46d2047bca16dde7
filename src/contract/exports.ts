// What the console sends to `/console/exports`, which is private to it. The reply is the path of the file, which a
// browser downloads without the key: `{"path": "/console/exports/…"}`.

import type { PetStatus } from "./pet.ts";

/** The most animals that one export names. */
export const exportIdsMax = 1000;
/** How long a download may begin. */
export const exportTicketMs = 60_000;

/** Where numbers have decimal commas, Excel opens CSV in columns only if semicolons separate them. */
export const exportFormats = ["csv", "ndjson", "json", "csv-semicolon", "xlsx"] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** Below the heading, a sheet of Excel has no more rows. */
export const workbookMaxPets = 1_048_575;
export const tooManyPets = `a workbook holds ${workbookMaxPets} animals, and there are more: choose another format`;

export interface ExportOrder {
	format: ExportFormat;
	/** Only animals with this status, and with this text in their names; compared as in a search. */
	status?: PetStatus;
	name?: string;
	/** Exactly these animals, whatever their status and name; those that were removed are left out. */
	ids?: (number | bigint)[];
}
