// When a deprecated operation ends, and what replaces it. In a file of its own, so that the console does not load the
// table of operations.

/** RFC 9745 and RFC 8594; both instants in milliseconds since 1970. */
export interface Deprecation {
	sinceMs: number;
	/** From this instant on the operation answers 410. */
	sunsetMs: number;
	/** The same instant, as in HTTP. */
	sunset: string;
	/** Method and path of the replacement, and how it replaces the operation. */
	successor: { method: string; path: string; with: string };
}

const monthNames = "January February March April May June July August September October November December".split(" ");

const sunsetMs = Date.UTC(2030, 11, 5);
/** Interface document §4.3 and §9. */
export const getPetDeprecation: Deprecation = {
	sinceMs: Date.UTC(2026, 10, 20),
	sunsetMs,
	sunset: new Date(sunsetMs).toUTCString(),
	successor: { method: "GET", path: "/pets", with: "the status filter" },
};

/** The day of removal, such as "5 December 2030". Without Intl, whose first use takes 30 ms. */
export function sunsetDay({ sunsetMs }: Deprecation): string {
	const day = new Date(sunsetMs);
	return `${day.getUTCDate()} ${monthNames[day.getUTCMonth()]} ${day.getUTCFullYear()}`;
}

/** What to call instead, such as "GET /pets with the status filter". */
export function replacementOf({ successor }: Deprecation): string {
	return `${successor.method} ${successor.path} with ${successor.with}`;
}
