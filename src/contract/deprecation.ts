// States when a deprecated operation ends, and what replaces it. This is a separate file, so that the console does not
// load the table of operations.

/** The dates of RFC 9745 and RFC 8594. `sinceMs` and `sunsetMs` are milliseconds since 1970. */
export interface Deprecation {
	sinceMs: number;
	/** From this instant on the operation answers 410. */
	sunsetMs: number;
	/** `sunsetMs` as an HTTP date. */
	sunset: string;
	/** The day of `sunsetMs`, for people. It is a constant, because the first use of Intl takes 30 ms. */
	sunsetDay: string;
	successor: { path: string; call: string };
}

/** The deprecation of getPet (interface document §4.3 and §9). */
export const getPetDeprecation: Deprecation = {
	sinceMs: Date.UTC(2026, 10, 20),
	sunsetMs: Date.UTC(2030, 11, 5),
	sunset: "Thu, 05 Dec 2030 00:00:00 GMT",
	sunsetDay: "5 December 2030",
	successor: { path: "/pets", call: "GET /pets with the status filter" },
};
