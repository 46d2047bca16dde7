// A mutant: a small deliberate fault in a source file, and the test file that must then fail. The tests detect every mutant
// of the lists in test/house/mutants; `npm run prove -- --only mutants` proves it.

export interface Mutant {
	/** Relative to the repository. */
	file: string;
	/** A text that the file has exactly once. */
	from: string;
	to: string;
	/** A test file, relative to the repository; one of its tests must fail. */
	test: string;
}

/** The faults that each test file detects; of several that do, the quickest one is named. */
export type Faults = Record<string, [file: string, from: string, to: string][]>;
