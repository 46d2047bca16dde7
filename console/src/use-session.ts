// The session as state of the app. The session survives a reload, is shared with new tabs, and lasts until its key is
// refused or expires. Signing out ends it in all tabs.

import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../../client/src/index.ts";
import {
	answerMs,
	dropKey,
	isOver,
	isSignedOut,
	joinTabs,
	type KeptKey,
	keepKey,
	keptKey,
	loadKey,
	type OtherTabs,
	type ThisTab,
} from "./kept-key.ts";
import { sentenceOf } from "./sentences.ts";
import { openSession, type Session } from "./session.ts";

export interface SessionState {
	session: Session | undefined;
	/** Whether a kept key is being looked for or checked. */
	isOpening: boolean;
	/** The reason why there is no session. */
	reason: string | undefined;
	/** @throws ApiError, NoReply */
	signIn(key: string, isOnComputer: boolean, signal: AbortSignal): Promise<void>;
	/** Changes, for all tabs, whether the key is kept on this computer or only in the tabs. */
	keep(isOnComputer: boolean): void;
	/** Signs out in all tabs. */
	signOut(): void;
	/** Whether signing out would end an import of another tab. */
	areOthersBusy(): Promise<boolean>;
}

/** The reasons why a session ended, for the user. */
const endings = {
	signOut: undefined,
	otherSignOut: "You signed out in another tab.",
	refused: "This key was revoked or has expired.",
	timeIsOver: "You were signed in on this computer for 12 hours. Sign in again.",
};
export type Ending = keyof typeof endings;

function reasonOf(ending: Ending, hasDraft: boolean): string | undefined {
	const isKept = hasDraft && (ending === "refused" || ending === "timeIsOver");
	return isKept ? `${endings[ending]} Your draft is kept.` : endings[ending];
}

const noSession = { session: undefined, reason: undefined };
const checkEveryMs = 10_000;

interface Work {
	isBusy(): boolean;
	/** Whether the user has entered or chosen something that is not added yet. */
	hasDraft(): boolean;
	onEnd(ending: Ending): void;
}

export function useSession(work: Work): SessionState {
	const [{ session, reason }, setState] = useState<Pick<SessionState, "session" | "reason">>(noSession);
	const [isOpening, setIsOpening] = useState(true);
	/** Up to date even between renders, because messages from other tabs can arrive at any time. */
	const held = useRef<Session | undefined>(undefined);
	const isResuming = useRef(false);
	const latest = useRef(work);
	latest.current = work;

	function hold(next: Session | undefined, why?: string): void {
		held.current = next;
		setState({ session: next, reason: why });
	}
	/** The session stays the same object, so that no view reads its data again. */
	function keepFor(kept: KeptKey): void {
		dropKey(kept);
		keepKey(kept);
		hold(held.current && Object.assign(held.current, kept));
	}
	function end(ending: Ending): void {
		if (held.current) dropKey(held.current);
		hold(undefined, reasonOf(ending, latest.current.hasDraft()));
		latest.current.onEnd(ending);
	}
	async function open(kept: KeptKey, signal?: AbortSignal): Promise<void> {
		// Ignores a late refusal of a key that has already been signed out.
		const onRefused = () => held.current?.key === kept.key && end("refused");
		const next = await openSession(kept, onRefused, signal);
		if (isSignedOut(kept)) return;
		keepKey(kept);
		hold(next);
	}
	async function resume(kept: KeptKey): Promise<void> {
		if (isResuming.current) return;
		isResuming.current = true;
		setIsOpening(true);
		try {
			await open(kept);
		} catch (error) {
			const isRefused = error instanceof ApiError && error.status === 401;
			if (isRefused) dropKey(kept);
			hold(held.current, isRefused ? endings.refused : `${sentenceOf(error)} Reload this page to try again.`);
		}
		isResuming.current = false;
		setIsOpening(false);
	}

	const tab: ThisTab = {
		held: () => held.current,
		take: resume,
		keep: keepFor,
		isBusy: () => latest.current.isBusy(),
		signOut: () => held.current && end("otherSignOut"),
	};
	const tabs = useTabs(tab, () => isResuming.current || setIsOpening(false));
	useChecks(() => held.current, end);
	return {
		session,
		isOpening,
		reason,
		signIn: (key, isOnComputer, signal) => open(keptKey(key, isOnComputer), signal),
		keep(isOnComputer) {
			if (!held.current) return;
			const kept = keptKey(held.current.key, isOnComputer);
			keepFor(kept);
			tabs.current?.keep(kept);
		},
		signOut() {
			tabs.current?.signOut();
			end("signOut");
		},
		areOthersBusy: async () => tabs.current?.areBusy() ?? false,
	};
}

/** Ends a session that has expired, or whose tab was suspended while another tab signed out. */
function useChecks(held: () => KeptKey | undefined, end: (ending: Ending) => void): void {
	useEffect(() => {
		const checking = setInterval(() => {
			const kept = held();
			if (kept && isSignedOut(kept)) end("otherSignOut");
			else if (kept && isOver(kept)) end("timeIsOver");
		}, checkEveryMs);
		return () => clearInterval(checking);
	}, []);
}

/**
 * At the start, takes the kept key; if there is none, asks the other tabs for their key.
 * @param giveUp called when no key was found in time; a key that arrives later is still used
 */
function useTabs(tab: ThisTab, giveUp: () => void) {
	const tabs = useRef<OtherTabs | undefined>(undefined);
	useEffect(() => {
		const others = joinTabs(tab);
		tabs.current = others;
		const kept = loadKey();
		if (kept) tab.take(kept);
		else others.ask();
		const waiting = setTimeout(giveUp, answerMs);
		return () => {
			clearTimeout(waiting);
			others.leave();
		};
	}, []);
	return tabs;
}
