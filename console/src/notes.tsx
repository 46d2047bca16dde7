// What a view says while it waits, and when something failed: the service's own words, and what finds the request in its log.

import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { ApiError, NoReply } from "../../client/src/index.ts";

/** Most replies are there before anyone could read that one is waited for. */
const spinnerAfterMs = 400;
const slowAfterMs = 4_000;

export function Waiting({ isPending }: { isPending: boolean }) {
	const [shown, setShown] = useState<"" | "Loading…" | "The server is slow to answer. Still waiting…">("");
	useEffect(() => {
		if (!isPending) return;
		const timers = [
			setTimeout(setShown, spinnerAfterMs, "Loading…"),
			setTimeout(setShown, slowAfterMs, "The server is slow to answer. Still waiting…"),
		];
		return () => {
			for (const timer of timers) clearTimeout(timer);
			setShown("");
		};
	}, [isPending]);
	return (
		<p class="waiting" role="status">
			{shown && <span class="spinner" aria-hidden="true" />}
			{shown}
		</p>
	);
}

export function sentenceOf(failure: unknown): string {
	if (failure instanceof ApiError) return `${failure.message.charAt(0).toUpperCase()}${failure.message.slice(1)}.`;
	if (failure instanceof NoReply)
		return "The server does not answer. Check that it runs and that you are connected, then try again.";
	return `Something went wrong in the console: ${failure instanceof Error ? failure.message : failure}.`;
}

interface FailureNoteProps {
	title: string;
	failure: unknown;
	again?: (() => void) | undefined;
	/** Instead of the failure's own sentence. */
	children?: ComponentChildren;
	noteRef?: RefObject<HTMLDivElement | null>;
}

export function FailureNote({ title, failure, again, children, noteRef }: FailureNoteProps) {
	const { requestId, retryAfterSeconds } = failure instanceof ApiError ? failure : {};
	return (
		<div class="note failure" role="alert" tabIndex={-1} ref={noteRef}>
			<strong>{title}</strong>
			<div>{children ?? <p>{sentenceOf(failure)}</p>}</div>
			{retryAfterSeconds !== undefined && <p>The server asks to wait {retryAfterSeconds} s.</p>}
			{requestId && (
				<p class="quiet">
					Request id <code>{requestId}</code>
				</p>
			)}
			{again && (
				<button type="button" onClick={again}>
					Try again
				</button>
			)}
		</div>
	);
}

/** The heading of a view: names the page, and takes the focus when someone comes here. */
export function Heading({ children }: { children: string }) {
	const heading = useRef<HTMLHeadingElement>(null);
	useLayoutEffect(() => {
		document.title = `${children} · animal-store`;
		heading.current?.focus();
	}, [children]);
	return (
		<h1 tabIndex={-1} ref={heading}>
			{children}
		</h1>
	);
}
