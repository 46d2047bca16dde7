// The rows of a store as they are kept, in the words of no engine: for moving a whole store from one engine to another.

/** Columns with their SQL types; the first ones are the key. Both engines have these tables. */
export const tables = {
	pets: { keyLength: 1, columns: { id: "bigint", name: "text", category_id: "bigint", status: "text" } },
	keys: {
		keyLength: 1,
		columns: {
			id: "text",
			name: "text",
			scopes: "text",
			rate: "text",
			created_at_ms: "bigint",
			revoked_at_ms: "bigint",
			last_used_at_ms: "bigint",
			get_pet_used_at_ms: "bigint",
		},
	},
	secrets: {
		keyLength: 1,
		columns: {
			hash: "text",
			key_id: "text",
			number: "bigint",
			last4: "text",
			created_at_ms: "bigint",
			expires_at_ms: "bigint",
		},
	},
	idempotency_keys: {
		keyLength: 2,
		columns: { caller: "text", key: "text", pet_id: "bigint", fingerprint: "text", created_at_ms: "bigint" },
	},
} as const;

export type Table = keyof typeof tables;
export type Row = (bigint | string | null)[];

export function columnsOf(table: Table): string[] {
	return Object.keys(tables[table].columns);
}

export function keyOf(table: Table): string[] {
	return columnsOf(table).slice(0, tables[table].keyLength);
}

export interface Rows {
	count(table: Table): Promise<number>;
	/** The next rows by key, after this one. */
	read(table: Table, after: Row | undefined, limit: number): Promise<Row[]>;
	/** The largest id of an animal. */
	lastPetId(): Promise<bigint | undefined>;
	/** The last id that an animal was given, 0 before the first; it may be gone. */
	lastGivenId(): Promise<bigint>;
	/** Keeps rows as they are, all or none; those that are there already stay. */
	write(table: Table, rows: Row[]): Promise<void>;
	/** What this store is an unfinished copy of. */
	copyMark(): Promise<string | undefined>;
	markCopy(mark: string): Promise<void>;
	/** Ends a copy: cursors of the source work from now on, and the next id follows the last one of the source. */
	finishCopy(source: { cursorSecret: Buffer; lastGivenId: bigint }): Promise<void>;
}
