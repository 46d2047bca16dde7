// Where a name has the text that was looked for, compared as the service compares.

import { foldedText } from "../../src/contract/console.ts";

/** @returns the start and the end of the first place in the name; undefined if there is none */
export function hitIn(name: string, text: string): [from: number, to: number] | undefined {
	let folded = "";
	/** For each character of `folded`, the start of the one of the name that became it. */
	const starts: number[] = [];
	for (const { segment, index } of new Intl.Segmenter().segment(name))
		for (const part of foldedText(segment)) {
			starts.push(...Array(part.length).fill(index));
			folded += part;
		}
	const wanted = foldedText(text);
	const at = folded.indexOf(wanted);
	if (at < 0) return undefined;
	const last = starts[at + wanted.length - 1] ?? 0;
	return [starts[at] ?? 0, starts.slice(at).find((start) => start > last) ?? name.length];
}
