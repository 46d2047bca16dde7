// What a mutant is: a small fault put into a source file on purpose, and the tests that must then fail. The lists in
// test/house/mutants are what the tests are known to see; `npm run prove -- --only mutants` shows it.

export interface Mutant {
	/** Relative to the repository. */
	file: string;
	/** A piece of text that is in the file exactly once. */
	from: string;
	to: string;
	/** Test files, relative to the repository; at least one of their tests must fail. */
	tests: string[];
}
