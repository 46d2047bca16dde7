// Sends the form that adds an animal. Its Idempotency-Key makes a second press safe; with another API key, a second
// press looks the animal up instead.

import { ApiError, NoReply } from "../../client/src/index.ts";
import type { NewPet, Pet } from "../../src/contract/pet.ts";
import { checkTexts } from "../../src/contract/validate.ts";
import { contentOf } from "../../src/files/creates.ts";
import { type Adding, emptyForm, type Field, type Unsettled } from "./add-form.ts";
import { describeFault } from "./fault-text.ts";
import { lookUpLost, mayRepeat, newestIdFor } from "./look-up.ts";
import { sentenceOf } from "./notes.tsx";
import { TooEarly } from "./pause.ts";
import type { Session } from "./session.ts";

type Show = (next: Adding) => void;

/** Sends the entries, or looks for their animal if it cannot be repeated. @param show called with each new state */
export async function add(session: Session, adding: Adding, show: Show): Promise<Pet | undefined> {
	const { entries, unsettled } = adding;
	const { value, faults } = checkTexts(entries);
	if (faults) {
		const inWords = faults.map((fault) => ({ ...fault, problem: describeFault(fault, entries[fault.field as Field]) }));
		show({ ...adding, faults: inWords, failure: undefined, missing: undefined, added: undefined });
		return undefined;
	}
	const pet = value;
	const open = unsettled && contentOf(unsettled.pet) === contentOf(pet) ? unsettled : undefined;
	const pending = { ...adding, isPending: true, unsettled: open, missing: undefined, added: undefined };
	show(pending);
	const isLookedUp = open !== undefined && !mayRepeat(session, open.lost);
	return isLookedUp ? find(session, pending, open, show) : send(session, pending, pet, show);
}

async function send(session: Session, adding: Adding, pet: NewPet, show: Show): Promise<Pet | undefined> {
	const { entries, unsettled } = adding;
	let { newest } = adding;
	let sentAtMs = unsettled?.lost.sentAtMs;
	try {
		newest ??= await newestIdFor(session, session.store);
		sentAtMs ??= Date.now();
		const added = await session.store.createPet(pet, { idempotencyKey: unsettled?.idempotencyKey });
		show({ ...emptyForm, newest: added.id, added });
		return added;
	} catch (failure) {
		const isOpen = failure instanceof NoReply || (failure instanceof ApiError && failure.isUnsettled);
		const after = unsettled ? unsettled.after : newest;
		const lost = sentAtMs && { keyId: session.info.id, sentAtMs, failedAtMs: Date.now() };
		const idempotencyKey = (isOpen ? failure.idempotencyKey : undefined) ?? unsettled?.idempotencyKey;
		const now = isOpen && lost ? { pet, idempotencyKey, after, lost } : unsettled;
		show(withFailure({ entries, isPending: false, faults: [], unsettled: now, newest }, failure));
		return undefined;
	}
}

async function find(session: Session, adding: Adding, open: Unsettled, show: Show): Promise<Pet | undefined> {
	const { entries, newest } = adding;
	try {
		const [id] = await lookUpLost(session, [{ ...open, equals: 0 }]);
		const added = id === undefined ? undefined : { id, ...open.pet };
		show(added ? { ...emptyForm, newest: id, added } : { ...emptyForm, entries, newest, missing: missingText(open) });
		return added;
	} catch (failure) {
		show(withFailure({ ...adding, isPending: false }, failure));
		return undefined;
	}
}

/** After 401 the view is sign-in, and only the entries are kept. */
function withFailure(adding: Adding, failure: unknown): Adding {
	const isOut = failure instanceof ApiError && failure.status === 401;
	return { ...adding, faults: [], failure: isOut ? undefined : failure };
}

function missingText({ after }: Unsettled): string {
	const found = after === undefined ? "the animal cannot be looked up" : "no such animal was added since";
	return `The first request got no reply, and ${found}.`;
}

export function titleOf({ unsettled, missing }: Adding): string {
	if (missing) return "The animal was not found";
	return unsettled ? "The animal may have been added" : "The animal was not added";
}

/** The text for a failure that concerns no single field. */
export function adviceOn({ failure, unsettled, missing }: Adding): string {
	if (missing) return `${missing} Press “Add” to add it.`;
	if (failure instanceof TooEarly) return `${failure.message} Press “Add” then.`;
	if (!unsettled) return sentenceOf(failure);
	const advice = "It is not known whether the animal was added. Press “Add” again: unchanged, it is added only once.";
	return `${sentenceOf(failure)} ${advice}`;
}
