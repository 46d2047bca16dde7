// The choices for the text in a category field: categories whose name contains the text, or whose number begins with
// the text; the category with the text as its number; a new category with the text as its name.

import type { Category } from "../../../src/contract/console.ts";
import { comparedName, foldedText } from "../../../src/contract/equal-texts.ts";
import { int64FromDecimal } from "../../../src/contract/json.ts";

/** A choice without an id is a new category. */
export type Choice = Partial<Category> & ({ id: bigint } | { name: string });

const shownMax = 50;

/** @param mayName whether a new category is offered */
export function categoryChoices(all: readonly Category[], text: string, mayName: boolean): Choice[] {
	const [wanted, name] = [foldedText(text.trim()), comparedName(text)];
	const id = numberIn(text);
	if (wanted === "") return all.slice(0, shownMax);
	const rankOf = ({ id: own, name: given = "" }: Category) => {
		const folded = foldedText(given);
		if (comparedName(given) === name || String(own) === id) return 0;
		return folded.startsWith(wanted) ? 1 : folded.includes(wanted) || String(own).startsWith(wanted) ? 2 : 3;
	};
	const ranked = all.map((category) => ({ category, rank: rankOf(category) })).filter(({ rank }) => rank < 3);
	const known = ranked.sort((one, other) => one.rank - other.rank).map(({ category }) => category);
	const isExact = ranked[0]?.rank === 0;
	return [
		...(id && !isExact ? [{ id: BigInt(id) }] : []),
		...known.slice(0, shownMax),
		...(!isExact && mayName && !/^-?\d+$/.test(wanted) ? [{ name: text.trim() }] : []),
	];
}

/** The category's id for a field's text, which is a number or a name. Case and white space in a name are ignored. */
export function categoryIdOf(all: readonly Category[], text: string): string | undefined {
	const wanted = comparedName(text);
	const named = all.find(({ name }) => name !== undefined && comparedName(name) === wanted);
	return numberIn(text) ?? (named && String(named.id));
}

/** Leading zeros are ignored. */
function numberIn(text: string): string | undefined {
	return int64FromDecimal(text.trim().replace(/^(-?)0+(?=\d)/, "$1"))?.toString();
}
