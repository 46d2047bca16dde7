// The session as state of the app. The session survives a reload, and lasts until its key is refused or expires.
// Signing out ends it: in this tab, or in all tabs that use the key of this computer.

import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../../../client/src/index.ts";
import { sentenceOf } from "../parts/sentences.ts";
import {
	dropKey,
	isOver,
	isSignedOut,
	type KeptKey,
	keepKey,
	keptKey,
	leaveComputer,
	loadKey,
	onLeft,
} from "./kept-key.ts";
import { openSession, type Session } from "./session.ts";

export interface SessionState {
	session: Session | undefined;
	/** Whether a kept key is being checked. */
	isOpening: boolean;
	/** The reason why there is no session. */
	reason: string | undefined;
	/** @throws ApiError, NoReply */
	signIn(key: string, isOnComputer: boolean, signal: AbortSignal): Promise<void>;
	/** If true, keeps the key on this computer; if false, only in this tab, and signs out the computer's other tabs. */
	keep(isOnComputer: boolean): void;
	signOut(): void;
}

/** The reasons why a session ended, for the user. */
const endings = {
	signOut: undefined,
	otherSignOut: "You signed out of this computer in another tab.",
	refused: "This key was revoked or has expired.",
	timeIsOver: "You were signed in on this computer for 12 hours. Sign in again.",
};
type Ending = keyof typeof endings;

function reasonOf(ending: Ending, hasUnsent: boolean): string | undefined {
	const isKept = hasUnsent && (ending === "refused" || ending === "timeIsOver");
	return isKept ? `${endings[ending]} Your draft is kept.` : endings[ending];
}

const noSession = { session: undefined, reason: undefined };
const checkEveryMs = 10_000;

interface Work {
	/** Whether the user has entered or chosen something that is not added yet. */
	hasUnsent(): boolean;
	onEnd(ending: Ending): void;
}

export function useSession(work: Work): SessionState {
	const [{ session, reason }, setState] = useState<Pick<SessionState, "session" | "reason">>(noSession);
	const [isOpening, setIsOpening] = useState(true);
	/** The session, up to date even between renders, because events of other tabs can arrive at any time. */
	const held = useRef<Session | undefined>(undefined);
	const latest = useRef(work);
	latest.current = work;

	function hold(next: Session | undefined, why?: string): void {
		held.current = next;
		setState({ session: next, reason: why });
	}
	function end(ending: Ending): void {
		const ended = held.current;
		if (ended) dropKey(ended);
		hold(undefined, reasonOf(ending, latest.current.hasUnsent()));
		latest.current.onEnd(ending);
		if (ending === "signOut" || ending === "otherSignOut") ended?.signedOut.abort();
	}
	async function open(kept: KeptKey, signal?: AbortSignal): Promise<void> {
		// Ignores a late refusal of a key that the session no longer uses.
		const onRefused = () => held.current?.key === kept.key && end("refused");
		const next = await openSession(kept, onRefused, signal);
		if (isSignedOut(kept)) return;
		keepKey(kept);
		hold(next);
	}
	async function resume(kept: KeptKey): Promise<void> {
		try {
			await open(kept);
		} catch (error) {
			const isRefused = error instanceof ApiError && error.status === 401;
			if (isRefused) dropKey(kept);
			hold(undefined, isRefused ? endings.refused : `${sentenceOf(error)} Reload this page to try again.`);
		}
	}

	useEffect(() => {
		const kept = loadKey();
		void (kept ? resume(kept) : Promise.resolve()).then(() => setIsOpening(false));
	}, []);
	useChecks(() => held.current, end);
	return {
		session,
		isOpening,
		reason,
		signIn: (key, isOnComputer, signal) => open(keptKey(key, isOnComputer), signal),
		keep(isOnComputer) {
			if (!held.current) return;
			dropKey(held.current);
			if (!isOnComputer) leaveComputer();
			const kept = keptKey(held.current.key, isOnComputer);
			keepKey(kept);
			// The session stays the same object, so that no view reads its data again.
			hold(Object.assign(held.current, kept));
		},
		signOut() {
			if (held.current?.untilMs !== undefined) leaveComputer();
			end("signOut");
		},
	};
}

/** Ends the session if its key has expired, or if another tab signed out, even while this tab was suspended. */
function useChecks(held: () => KeptKey | undefined, end: (ending: Ending) => void): void {
	useEffect(() => {
		function check(): void {
			const kept = held();
			if (kept && isSignedOut(kept)) end("otherSignOut");
			else if (kept && isOver(kept)) end("timeIsOver");
		}
		const checking = setInterval(check, checkEveryMs);
		const stopListening = onLeft(check);
		return () => {
			clearInterval(checking);
			stopListening();
		};
	}, []);
}
