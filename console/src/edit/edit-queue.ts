// The edits of a session. They are sent one after the other, whatever view is open, so that each edit starts from the
// result of the previous edit. Animals are shown as edited at once, and change back if the service refuses the edit.

import type { Pet } from "../../../src/contract/pet.ts";
import { createEditedAnimals } from "./edited-animals.ts";
import type { Edit, Notice, Sent } from "./edits.ts";

/** Edits that were made together, and are undone together. */
interface Step {
	/** Whether this step undoes another step. Undoing such a step redoes the other step. */
	isUndo: boolean;
	/** The edits that undo this step; none until this step is settled, and none after a removal. */
	inverse: readonly Edit[];
	isSettled: boolean;
	/** Whether the undo of this step is under way or done. */
	isUndone: boolean;
	/** A sentence that says what this step has changed. */
	text: string;
}

export interface Message extends Notice {
	/** A number that no other message has. */
	key: number;
	/** The step that the message offers to undo; undefined if there is none. */
	step: Step | undefined;
}

/** How many steps can be undone. */
const stepsMax = 100;

/** The steps that can be undone, the latest one last. */
function createSteps() {
	const steps = new Set<Step>();
	function keep(step: Step): void {
		steps.add(step);
		for (const oldest of steps) if (steps.size > stepsMax) steps.delete(oldest);
	}
	return {
		keep,
		/** Edits of an undo that have no result may not have been made: the next undo sends these edits again. */
		keepRest(step: Step, edits: readonly Edit[]): void {
			if (edits.length === 0) return;
			Object.assign(step, { inverse: edits, isUndone: false });
			keep(step);
		},
		delete: (step: Step) => steps.delete(step),
		last: () => [...steps].at(-1),
	};
}

/** A new message replaces messages of success and problems with the same text. Other problems stay until closed. */
function withMessage(messages: readonly Message[], added: Message): Message[] {
	return [...messages.filter(({ isProblem, text }) => isProblem && text !== added.text), added];
}

export type EditQueue = ReturnType<typeof createEditQueue>;

type Send = (edits: readonly Edit[], report: (settled: number) => void) => Promise<Sent>;

/**
 * @param send never rejects; if the edits need several requests, it reports how many edits have results
 * @param changed called after each change of what is shown
 */
export function createEditQueue(send: Send, changed: () => void) {
	let reply: unknown;
	let messages: readonly Message[] = [];
	let last = Promise.resolve();
	let count = 0;
	let underWay = 0;
	let replies = 0;
	let progress: { settled: number; all: number } | undefined;
	const animals = createEditedAnimals(() => reply);
	const steps = createSteps();

	/**
	 * @param now the edits, which are shown at once; undefined if the edits depend on a step that is under way
	 * @param undone the step that these edits undo
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
				const { results, notice } = await send(expected.edits, (settled) => {
					progress = { settled, all: expected.edits.length };
					changed();
				});
				progress = undefined;
				animals.settle(expected, results);
				replies++;
				Object.assign(step, { inverse: notice.undo, text: notice.text });
				if (undone && !undone.isUndo) steps.keepRest(undone, expected.edits.slice(results.length));
				const canUndo = notice.undo.length > 0 && !step.isUndone;
				messages = withMessage(messages, { ...notice, key: ++count, step: canUndo ? step : undefined });
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
		/** Sets the reply that the list shows. A new reply includes all edits whose results have arrived. */
		shows(latest: unknown): void {
			reply = latest;
		},
		apply: (edits: readonly Edit[]) => enqueue(() => edits, edits),
		/** Undoes a step, even one that is under way. Without `step`, undoes the latest step that can be undone. */
		undo(step: Step | undefined = steps.last()): void {
			if (!step) return;
			steps.delete(step);
			step.isUndone = true;
			messages = messages.filter((message) => message.step !== step);
			enqueue(() => step.inverse, step.isSettled ? step.inverse : undefined, step);
		},
		/** Describes what the next undo undoes; undefined if there is nothing to undo. */
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
		/** How many edits of the step being sent have results, and how many there are; absent if one request is enough. */
		get progress() {
			return progress;
		},
		/** The number of steps that are not settled yet. */
		get underWay() {
			return underWay;
		},
		/** The number of settled steps whose edits were sent. */
		get replies() {
			return replies;
		},
	};
}

/** Keeps the names of the animals that this window has shown, because the service keeps no name of a removed animal. */
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
