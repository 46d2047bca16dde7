// The test of every generated client, in every language. Its program in test/client/programs lists, filters, reads
// pages of two, creates and gets an animal, is refused three times, and prints these lines.

/** The animals that exist before the program runs. */
export const seeds = [
	{ name: "Rex", categoryId: 1, status: "available" },
	{ name: "Max", categoryId: 2, status: "sold" },
	{ name: "Ida", categoryId: 3 },
	{ name: "Leo", categoryId: 4, status: "sold" },
	{ name: "Mia", categoryId: 5, status: "pending" },
];

/** The category of the animal that each program creates. A double cannot hold it. */
const category = "9007199254740993";

/** @param integers how the language represents an int64 */
export function linesOf(integers: "exact" | "rounded"): string[] {
	const kept = integers === "exact" ? category : String(Number(category));
	const refused = ["400 invalid_cursor", "401 invalid_credential", "404 pet_not_found"];
	return ["list 5", "filter 2", "page 5", `create ${kept}`, `get ${kept}`, ...refused];
}
