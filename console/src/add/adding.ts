// Sends the form that adds an animal as an import of one row. The row's Idempotency-Key makes a second press of the
// button safe, even with another API key.

import { ApiError, NoReply } from "../../../client/src/index.ts";
import { type Category, type ImportResult, isRefusal } from "../../../src/contract/console.ts";
import { type NewPet, type Pet, petJson } from "../../../src/contract/pet.ts";
import { checkTexts, type Fault } from "../../../src/contract/validate.ts";
import { describeFault } from "../../../src/files/fault-words.ts";
import { categoryIdOf } from "../categories/category-choices.ts";
import { sentenceOf } from "../parts/sentences.ts";
import type { Asking } from "../session/asking.ts";
import { type Adding, emptyForm, type Field } from "./add-form.ts";

type Show = (next: Adding) => void;

/**
 * @param categories the categories that an entry may name
 * @param show called with each new state
 */
export async function add(
	session: Asking,
	adding: Adding,
	categories: readonly Category[],
	show: Show,
): Promise<Pet | undefined> {
	const { entries, unsettled: before } = adding;
	const { categoryId: category } = entries;
	const { value: pet, faults } = checkTexts({ ...entries, categoryId: categoryIdOf(categories, category) ?? category });
	if (faults) {
		const inWords = faults.map((fault) => ({ ...fault, problem: problemOf(fault, entries) }));
		show({ ...adding, faults: inWords, failure: undefined, added: undefined });
		return undefined;
	}
	const isSame = before !== undefined && petJson(before.pet) === petJson(pet);
	// crypto.randomUUID does not exist over plain http.
	const unsettled = isSame ? before : { pet, key: `form-${crypto.getRandomValues(new Uint32Array(4)).join("-")}` };
	show({ ...adding, isPending: true, unsettled: isSame ? before : undefined, added: undefined });
	try {
		const added = await send(session, unsettled.pet, unsettled.key);
		show({ ...emptyForm, added });
		return added;
	} catch (failure) {
		const isOpen = failure instanceof NoReply || (failure instanceof ApiError && !isRefusal(failure.status));
		// After 401, the sign-in form says why, so this form shows no failure.
		const isOut = failure instanceof ApiError && failure.status === 401;
		const open = isOpen || isSame ? unsettled : undefined;
		show({ entries, isPending: false, faults: [], unsettled: open, failure: isOut ? undefined : failure });
		return undefined;
	}
}

function problemOf(fault: Fault, entries: Adding["entries"]): string {
	const text = entries[fault.field as Field];
	const isUnnamed = fault.field === "categoryId" && /[^\d\s-]/.test(text);
	return isUnnamed ? `No category has the name “${text.trim()}”` : describeFault(fault, text);
}

/** @throws ApiError, NoReply */
async function send({ ask }: Asking, pet: NewPet, key: string): Promise<Pet> {
	const body = `{"rows":[{"key":"${key}",${petJson(pet).slice(1)}]}`;
	const { results } = await ask<{ results: ImportResult[] }>("/console/imports", { body });
	const [result] = results;
	if (result && result.outcome !== "invalid") return { id: BigInt(result.id), ...pet };
	throw new Error(result?.faults[0]?.problem);
}

export function titleOf({ unsettled }: Adding): string {
	return unsettled ? "The animal may have been added" : "The animal was not added";
}

export function adviceOn({ failure, unsettled }: Adding): string {
	const sentence = sentenceOf(failure);
	const advice = " It is not known whether the animal was added. Press “Add” again without changes: it is added once.";
	return unsettled ? sentence + advice : sentence;
}
