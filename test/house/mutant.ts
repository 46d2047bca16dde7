// A mutant: a small deliberate fault in a source file, and the test file that must then fail. The tests detect every
// mutant in test/house/mutants, as `npm run prove -- --only mutants` proves.

export interface Mutant {
	/** The path of the source file in the repository. */
	file: string;
	/** A text that the file has exactly once. */
	from: string;
	to: string;
	/** The path of a test file in the repository; one of its tests must fail. */
	test: string;
}

/** Faults by the test file that detects them. If several files detect a fault, the quickest file is named. */
export type Faults = Record<string, [file: string, from: string, to: string][]>;
