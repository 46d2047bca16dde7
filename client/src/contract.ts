// The contract as plain types. Generated from src/contract by client/generate.ts: npm run client.

/** The type of int64 fields in results, for each setting of the option `int64`. */
export interface Int64Types {
	string: string;
	bigint: bigint;
	number: number;
}

export type Int64Mode = keyof Int64Types;

/** An int64 as the client returns it in this mode. Without a mode: any type that the client accepts. */
export type Int64<Mode extends Int64Mode = Int64Mode> = Int64Types[Mode];

export type PetStatus = "available" | "pending" | "sold";

/** a JSON object with name, categoryId and optionally status */
export interface NewPet {
	/** a string of 1 to 255 Unicode code points: not only white space, no control characters, no lone surrogates */
	name: string;
	/** an integer from -9223372036854775808 to 9223372036854775807 */
	categoryId: Int64;
	/** one of "available", "pending", "sold" */
	status?: PetStatus | undefined;
}

/** an animal */
export interface Pet<Mode extends Int64Mode = "string"> {
	/** assigned by the service, ascending from 1, never used twice */
	id: Int64<Mode>;
	/** a string of 1 to 255 Unicode code points: not only white space, no control characters, no lone surrogates */
	name: string;
	/** an integer from -9223372036854775808 to 9223372036854775807 */
	categoryId: Int64<Mode>;
	/** one of "available", "pending", "sold" */
	status?: PetStatus | undefined;
}

/** The codes of the service's errors. Later versions may add codes, so the type accepts any other string, too. */
export type ErrorCode =
	| "invalid_json"
	| "invalid_body"
	| "invalid_parameter"
	| "unknown_parameter"
	| "invalid_cursor"
	| "malformed_request"
	| "missing_credential"
	| "invalid_credential"
	| "insufficient_scope"
	| "pet_not_found"
	| "route_not_found"
	| "method_not_allowed"
	| "request_timeout"
	| "operation_removed"
	| "body_too_large"
	| "uri_too_long"
	| "unsupported_media_type"
	| "expectation_failed"
	| "idempotency_key_reused"
	| "rate_limited"
	| "headers_too_large"
	| "internal_error"
	| "storage_unavailable"
	| "overloaded"
	| "shutting_down"
	| (string & Record<never, never>);

/** The fields of a NewPet, in the order of the contract. */
export const newPetFields = ["name", "categoryId", "status"] as const satisfies (keyof NewPet)[];

/** The filters of a list. */
export interface Filter {
	/** Only animals with this status. */
	status?: PetStatus | undefined;
}
export const filterNames = ["status"] as const satisfies (keyof Filter)[];

/** The fields of a Pet that are int64. */
export const int64Fields: readonly string[] = ["id", "categoryId"];

/** The most animals on a page. */
export const limitMax = 100;
