// Sends edits to the console's private endpoint, and describes the outcome in a sentence.

import { ApiError } from "../../../client/src/index.ts";
import { type EditResult, editsMax } from "../../../src/contract/console.ts";
import { type Pet, petJson } from "../../../src/contract/pet.ts";
import { pauseAfter } from "../parts/pause.ts";
import { countOf, listOf, sentenceOf, shortName, stateOf } from "../parts/sentences.ts";
import type { Asking } from "../session/asking.ts";
import { type Edit, type LabelOf, type Notice, nameOfCategory, type Sent, stateAfter } from "./edits.ts";

/** How often a request is sent again while the key's rate is exceeded; never, if one request has room for all edits. */
const waitsMax = 10;

/**
 * Sends edits in their order. If they need several requests, waits and tries again when the key's rate is exceeded.
 * @param labelOf the name or the number of a category @param isOver whether the user has signed out
 * @param report called before each request except the first, with the number of edits that have results
 */
export async function sendEdits(
	session: Asking,
	edits: readonly Edit[],
	labelOf: LabelOf,
	isOver = () => false,
	report: (settled: number) => void = () => {},
): Promise<Sent> {
	const results: EditResult[] = [];
	let failure: unknown;
	let waits = 0;
	for (let from = 0; from < edits.length && results.length === from && failure === undefined && !isOver(); ) {
		try {
			if (from > 0) report(from);
			const body = `{"edits":[${edits.slice(from, from + editsMax).map(jsonOf)}]}`;
			const reply = await session.ask<{ results: EditResult[] }>("/console/edits", { body });
			results.push(...reply.results);
			from += editsMax;
			waits = 0;
		} catch (error) {
			const isLimited = error instanceof ApiError && error.status === 429 && edits.length > editsMax;
			const waitMs = isLimited && waits < waitsMax ? pauseAfter(error, waits++) : undefined;
			if (waitMs === undefined) failure = error;
			else await new Promise((resolve) => setTimeout(resolve, waitMs));
		}
	}
	return { results, notice: noticeOf(edits, results, labelOf, failure) };
}

/** Integers are written as digits, because JSON.stringify cannot write a bigint. */
function jsonOf({ pet: { id, ...seen }, change }: Edit): string {
	const text = JSON.stringify(change, (_, value) => (typeof value === "bigint" ? undefined : value));
	const category = change.action === "set-category" ? `"categoryId":${change.categoryId},` : "";
	return `{"id":${id},${category}"seen":${petJson(seen)},${text.slice(1)}`;
}

/** @param results fewer than the edits if the service stopped or failed before the last edit */
function noticeOf(edits: readonly Edit[], results: readonly EditResult[], labelOf: LabelOf, failure: unknown): Notice {
	const settled = edits.slice(0, results.length).map((edit, index) => ({ edit, ...(results[index] as EditResult) }));
	const done = settled.filter(({ outcome }) => outcome === "edited" || outcome === "unchanged");
	const lost = settled.filter((each) => !done.includes(each));
	const left = edits.slice(results.length);
	const problems = [
		...lost.slice(0, 1).map(({ edit, ...result }) => lostText(edit, result, labelOf)),
		...(lost.length > 1 ? [`Others have also changed ${countOf(lost.length - 1)}.`] : []),
		...(failure === undefined ? [] : [sentenceOf(failure)]),
		...(left.length > 0 ? [leftText(left, failure)] : []),
	];
	const first = doneText(done, labelOf) + (problems.length > 0 ? "." : "");
	return {
		text: [...(done.length > 0 ? [first] : []), ...problems].join(" "),
		isProblem: problems.length > 0,
		about: lost.find(({ pet }) => pet)?.pet ?? left[0]?.pet,
		undo: done.flatMap(({ edit, outcome, pet }) => (outcome === "edited" && pet ? inverseOf(edit, pet) : [])),
	};
}

/** Whether the service has refused the request itself, so that none of its edits was made. */
const isRefused = (failure: unknown) => failure instanceof ApiError && !failure.isUnsettled;

function leftText(left: readonly Edit[], failure: unknown): string {
	if (!isRefused(failure)) return `${subjectOf(left)} may not have been changed: check, and try again.`;
	return `${subjectOf(left)} ${left.length === 1 ? "was" : "were"} not changed: try again later.`;
}

/** The edits that undo an edit; none for a removal, which cannot be undone. */
function inverseOf({ pet: { name, status, categoryId }, change }: Edit, now: Pet): Edit[] {
	const { action } = change;
	if (action === "remove") return [];
	const before = { "set-status": { status }, "set-category": { categoryId }, rename: { name } }[action];
	return [{ pet: now, change: { action, ...before } as Edit["change"] }];
}

function doneText(done: readonly { edit: Edit }[], labelOf: LabelOf): string {
	const edits = done.map(({ edit }) => edit);
	const [first] = edits;
	if (first?.change.action === "rename") return `Renamed to ${shortName(first.change.name)}`;
	const states = new Set(edits.map(({ change }) => stateAfter(change, labelOf)));
	const state = states.size === 1 ? [...states][0] : "as they were";
	return `${subjectOf(edits)} ${edits.length === 1 ? "is" : "are"} ${state}`;
}

function lostText({ pet: seen }: Edit, { outcome, pet, by = "Somebody else" }: EditResult, labelOf: LabelOf): string {
	const name = shortName(seen.name);
	if (outcome === "removed") return `${by} has removed ${name}.`;
	if (!pet) return `${name} no longer exists.`;
	const done: string[] = [];
	const what = () => (done.length > 0 ? "it" : name);
	if (pet.name !== seen.name) done.push(`renamed ${name} to ${shortName(pet.name)}`);
	if (pet.status !== seen.status) done.push(`marked ${what()} as ${stateOf(pet.status)}`);
	if (pet.categoryId !== seen.categoryId) done.push(`moved ${what()} to ${nameOfCategory(pet.categoryId, labelOf)}`);
	return `${by} was first and has ${listOf(done)}. Your change was not made.`;
}

function subjectOf(edits: readonly Edit[]): string {
	const [first] = edits;
	return first && edits.length === 1 ? shortName(first.pet.name) : countOf(edits.length);
}
