// What long work on the file of a store tells: its progress, and the report of a verification.

export interface Progress {
	/** Such as "copying". */
	what: string;
	/** Of `total`; 0 of 0 where only the end is known. */
	done: number;
	total: number;
}

export interface LongWork {
	/** Ends the work. What is left of it then is removed. */
	signal: AbortSignal;
	onProgress?: (progress: Progress) => void;
}

/** What was found in a store or a backup. */
export interface StoreReport {
	file: string;
	bytes: number;
	/** The version of the schema. */
	schema: number;
	animals: number;
	keys: number;
	idempotencyKeys: number;
	/** Names that edits have replaced, which may still be in unused space. */
	namesToErase: number;
	/** What is wrong; empty if the file is sound. */
	problems: string[];
}
