// Notes of a view: while it waits, and after a failure, with the service's message and the request id.

import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { ApiError, NoReply } from "../../client/src/index.ts";

/** Most replies arrive sooner and need no note. */
const spinnerAfterMs = 400;
const slowAfterMs = 4_000;

export function Waiting({ isPending }: { isPending: boolean }) {
	const [note, setNote] = useState<"" | "Loading…" | "The server is slow to answer. Still waiting…">("");
	useEffect(() => {
		if (!isPending) return;
		const timers = [
			setTimeout(setNote, spinnerAfterMs, "Loading…"),
			setTimeout(setNote, slowAfterMs, "The server is slow to answer. Still waiting…"),
		];
		return () => {
			for (const timer of timers) clearTimeout(timer);
			setNote("");
		};
	}, [isPending]);
	return (
		<p class="waiting" role="status">
			{note && <span class="spinner" aria-hidden="true" />}
			{note}
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
	onRetry?: (() => void) | undefined;
	/** Instead of the failure's own sentence. */
	children?: ComponentChildren;
	noteRef?: RefObject<HTMLDivElement | null>;
}

export function FailureNote({ title, failure, onRetry, children, noteRef }: FailureNoteProps) {
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
			{onRetry && (
				<button type="button" onClick={onRetry}>
					Try again
				</button>
			)}
		</div>
	);
}

/** The heading of a view. It sets the page title and takes the focus when the view opens. */
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
