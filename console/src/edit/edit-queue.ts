// The edits of a session. They are sent one after the other, so that each starts from the result of the one before, and
// whatever view is open. Animals change at once, and change back if the service refuses.

import type { Pet } from "../../../src/contract/pet.ts";
import { createEditedAnimals } from "./edited-animals.ts";
import type { Edit, Notice, Sent } from "./edits.ts";

/** Edits that were made together, and are undone together. */
interface Step {
	/** Whether it undoes another step, so that undoing it is doing that one again. */
	isUndo: boolean;
	/** The edits that undo it; none before it is settled, and after a removal. */
	inverse: readonly Edit[];
	isSettled: boolean;
	/** Whether its undo is under way or done. */
	isUndone: boolean;
	/** What it has changed, in a sentence. */
	text: string;
}

export interface Message extends Notice {
	/** Differs for each message. */
	key: number;
	/** What `undo` would undo; undefined if nothing. */
	step: Step | undefined;
}

/** How many steps can be undone. */
const stepsMax = 100;

/** The steps that can be undone, the latest one last. */
function createSteps() {
	const steps = new Set<Step>();
	return {
		keep(step: Step): void {
			steps.add(step);
			for (const oldest of steps) if (steps.size > stepsMax) steps.delete(oldest);
		},
		delete: (step: Step) => steps.delete(step),
		last: () => [...steps].at(-1),
	};
}

export type EditQueue = ReturnType<typeof createEditQueue>;

/**
 * @param send never rejects
 * @param changed called after each change of what is shown
 */
export function createEditQueue(send: (edits: readonly Edit[]) => Promise<Sent>, changed: () => void) {
	let reply: unknown;
	let messages: readonly Message[] = [];
	let last = Promise.resolve();
	let count = 0;
	let underWay = 0;
	let replies = 0;
	const animals = createEditedAnimals(() => reply);
	const steps = createSteps();

	/**
	 * @param now the edits, if they are known before the edits under way are settled: then they are shown at once
	 * @param undone the step that they undo
	 */
	function enqueue(edits: () => readonly Edit[], now: readonly Edit[] | undefined, undone?: Step): void {
		const isUndo = undone !== undefined && !undone.isUndo;
		const step: Step = { isUndo, inverse: [], isSettled: false, isUndone: false, text: "" };
		const shown = now && animals.expect(now);
		if (!isUndo) steps.keep(step);
		underWay++;
		last = last.then(async () => {
			const expected = shown ?? animals.expect(edits());
			if (expected.edits.length > 0) {
				const { results, notice } = await send(expected.edits);
				animals.settle(expected, results);
				replies++;
				Object.assign(step, { inverse: notice.undo, text: notice.text });
				if (undone && !undone.isUndo && results.length < expected.edits.length) {
					// The rest was not undone, or nobody knows: the next undo tries it again.
					Object.assign(undone, { inverse: expected.edits.slice(results.length), isUndone: false });
					steps.keep(undone);
				}
				const canUndo = notice.undo.length > 0 && !step.isUndone;
				// A message of success makes room for the next one; a problem stays until it is closed or told again.
				messages = messages.filter(({ isProblem, text }) => isProblem && text !== notice.text);
				messages = [...messages, { ...notice, key: ++count, step: canUndo ? step : undefined }];
			}
			step.isSettled = true;
			if (step.inverse.length === 0) steps.delete(step);
			underWay--;
			changed();
		});
		changed();
	}

	return {
		/** The animals with edits applied, without removed animals. */
		edited: animals.edited,
		isWaiting: animals.isWaiting,
		/** Says that the list shows this reply; a new one includes all edits whose results have arrived. */
		shows(latest: unknown): void {
			reply = latest;
		},
		apply: (edits: readonly Edit[]) => enqueue(() => edits, edits),
		/** Undoes a step, by default the latest one that can be undone, even if it is still under way. */
		undo(step: Step | undefined = steps.last()): void {
			if (!step) return;
			steps.delete(step);
			step.isUndone = true;
			messages = messages.filter((message) => message.step !== step);
			enqueue(() => step.inverse, step.isSettled ? step.inverse : undefined, step);
		},
		/** What the next undo undoes; undefined if nothing. */
		get undoable(): string | undefined {
			const step = steps.last();
			return step && (step.text || "the edit under way");
		},
		close(key: number): void {
			messages = messages.filter((message) => message.key !== key);
			changed();
		},
		get messages() {
			return messages;
		},
		/** The number of edits that are not settled yet. */
		get underWay() {
			return underWay;
		},
		/** The number of settled edits. */
		get replies() {
			return replies;
		},
	};
}

/** The names of the animals that this window has shown, by id: a removed animal has no name any more. */
export function createSeenNames() {
	const names = new Map<string, string>();
	const most = 10_000;
	return {
		see(pets: readonly Pet[]): void {
			for (const { id, name } of pets) {
				names.delete(String(id));
				names.set(String(id), name);
			}
			for (const id of names.keys()) if (names.size > most) names.delete(id);
		},
		nameOf: (id: bigint | string) => names.get(String(id)),
	};
}
