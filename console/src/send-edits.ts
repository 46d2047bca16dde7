// Sends edits to the console's private endpoint, and describes the outcome in a sentence.

import { type EditResult, editsMax } from "../../src/contract/console.ts";
import type { Pet } from "../../src/contract/pet.ts";
import { type Edit, type Notice, type Sent, shortName, stateOf } from "./edits.ts";
import { countOf, sentenceOf } from "./notes.tsx";
import type { Session } from "./session.ts";

/** Sends edits in their order. */
export async function sendEdits(session: Session, edits: readonly Edit[]): Promise<Sent> {
	const results: EditResult[] = [];
	let failure: unknown;
	try {
		for (let from = 0; from < edits.length && results.length === from; from += editsMax) {
			const body = `{"edits":[${edits
				.slice(from, from + editsMax)
				.map(jsonOf)
				.join()}]}`;
			const reply = (await session.ask("/console/edits", { body })) as { results: EditResult[] };
			results.push(...reply.results);
		}
	} catch (error) {
		failure = error;
	}
	return { results, notice: noticeOf(edits, results, failure) };
}

/** The id as digits, because JSON.stringify does not know bigint. */
function jsonOf({ pet: { id, name, status }, change }: Edit): string {
	return `{"id":${id},${JSON.stringify({ ...change, seen: { name, status } }).slice(1)}`;
}

/** @param results fewer than edits if the service stopped or failed before the others */
export function noticeOf(edits: readonly Edit[], results: readonly EditResult[], failure?: unknown): Notice {
	const settled = edits.slice(0, results.length).map((edit, index) => ({ edit, ...(results[index] as EditResult) }));
	const done = settled.filter(({ outcome }) => outcome === "edited" || outcome === "unchanged");
	const lost = settled.filter((each) => !done.includes(each));
	const left = edits.slice(results.length);
	const problems = [
		...lost.slice(0, 1).map(({ edit, ...result }) => lostText(edit, result)),
		...(lost.length > 1 ? [`Others have also changed ${countOf(lost.length - 1)}.`] : []),
		...(failure === undefined ? [] : [sentenceOf(failure)]),
		...(left.length > 0 ? [`${subjectOf(left)} may not have been changed: look, and try again.`] : []),
	];
	const first = done.length > 0 ? [`${doneText(done.map(({ edit }) => edit))}${problems.length > 0 ? "." : ""}`] : [];
	return {
		text: [...first, ...problems].join(" "),
		isProblem: problems.length > 0,
		undo: done.flatMap(({ edit, outcome, pet }) => (outcome === "edited" && pet ? inverseOf(edit, pet) : [])),
	};
}

/** A removal has none. */
function inverseOf({ pet: { name, status }, change }: Edit, now: Pet): Edit[] {
	if (change.action === "remove") return [];
	return [{ pet: now, change: change.action === "rename" ? { ...change, name } : { ...change, status } }];
}

function doneText(edits: readonly Edit[]): string {
	const [first] = edits;
	if (first?.change.action === "rename") return `Renamed to ${shortName(first.change.name)}`;
	const states = new Set(
		edits.map(({ change }) => (change.action === "set-status" ? stateOf(change.status) : "removed")),
	);
	const state = states.size === 1 ? [...states][0] : "as they were";
	return `${subjectOf(edits)} ${edits.length === 1 ? "is" : "are"} ${state}`;
}

function lostText({ pet: seen }: Edit, { outcome, pet, by = "Somebody else" }: EditResult): string {
	const name = shortName(seen.name);
	if (outcome === "removed") return `${by} has removed ${name}.`;
	if (!pet) return `${name} is not there any more.`;
	const renamed = pet.name === seen.name ? "" : `renamed ${name} to ${shortName(pet.name)}`;
	const marked = pet.status === seen.status ? "" : `marked ${renamed ? "it" : name} as ${stateOf(pet.status)}`;
	return `${by} was first and has ${[renamed, marked].filter(Boolean).join(" and ")}. Your change was not made.`;
}

function subjectOf(edits: readonly Edit[]): string {
	const [first] = edits;
	return first && edits.length === 1 ? shortName(first.pet.name) : countOf(edits.length);
}
