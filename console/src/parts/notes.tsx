// Messages of a view about its requests: a line while the service does not answer, and a note after a lasting failure.

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../../../client/src/index.ts";
import { Button } from "./button.tsx";
import { sentenceOf } from "./sentences.ts";

export const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium", hourCycle: "h23" });

/** The reason why an entry is refused. A screen reader reads the reason aloud when it appears. */
export function Problem({ id, children }: { id?: string; children: ComponentChildren }) {
	return (
		<p id={id} class="problem" role="alert">
			{children}
		</p>
	);
}

interface BannerProps {
	failure: unknown;
	retryAtMs?: number | undefined;
	shownSinceMs?: number | undefined;
	/** The subject of the sentence that says from when the shown data are, such as "These rows". */
	shown: string;
	onRetry(): void;
}

/** A line above the data that the view still shows, with the seconds until the next try. */
export function Banner({ failure, retryAtMs, shownSinceMs, shown, onRetry }: BannerProps) {
	const seconds = useCountdown(retryAtMs);
	return (
		<div class="line wraps banner">
			<p role="status">
				{sentenceOf(failure)} {shownSinceMs !== undefined && `${shown} are from ${clock.format(shownSinceMs)}.`}
			</p>
			{seconds !== undefined && <p class="num">{seconds > 0 ? `Next try in ${seconds} s.` : "Trying again …"}</p>}
			<Button label="Try now" onClick={onRetry} />
		</div>
	);
}

function useCountdown(untilMs: number | undefined): number | undefined {
	const [, setTick] = useState(0);
	useEffect(() => {
		if (untilMs === undefined) return;
		const timer = setInterval(() => setTick((tick) => tick + 1), 250);
		return () => clearInterval(timer);
	}, [untilMs]);
	return untilMs === undefined ? undefined : Math.max(0, Math.ceil((untilMs - Date.now()) / 1000));
}

interface FailureNoteProps {
	title: string;
	failure?: unknown;
	onRetry?: (() => void) | undefined;
	retryLabel?: string;
	/** Replaces the failure's own message. */
	children?: ComponentChildren;
}

export function FailureNote({ title, failure, onRetry, retryLabel = "Try again", children }: FailureNoteProps) {
	const requestId = failure instanceof ApiError ? failure.requestId : undefined;
	return (
		<div class="stack note" role="alert">
			<strong>{title}</strong>
			{children ?? <p>{sentenceOf(failure)}</p>}
			{requestId && (
				<p class="soft">
					Request id <code>{requestId}</code>
				</p>
			)}
			{onRetry && <Button label={retryLabel} onClick={onRetry} />}
		</div>
	);
}

/** Names the scope that the key lacks, and the command that creates a key with this scope. */
export function MissingScope({ title, scope }: { title: string; scope: string }) {
	return (
		<FailureNote title={title}>
			<p>
				The key lacks the scope <code>{scope}</code>. On the service's machine, create a key with this scope, and sign
				in with the new key:
			</p>
			<p>
				<code>npx animal-store keys create --name console --scopes {[...new Set([scope, "pets:read"])].join()}</code>
			</p>
		</FailureNote>
	);
}

const spinnerAfterMs = 400;
const slowAfterMs = 4_000;

/** A note for slow replies; most replies arrive before this note is shown. */
export function Waiting({ isPending }: { isPending: boolean }) {
	const [note, setNote] = useState("");
	useEffect(() => {
		if (!isPending) return;
		const timers = [
			setTimeout(setNote, spinnerAfterMs, "Loading …"),
			setTimeout(setNote, slowAfterMs, "The server is slow to answer. Still waiting …"),
		];
		return () => {
			for (const timer of timers) clearTimeout(timer);
			setNote("");
		};
	}, [isPending]);
	return (
		<p class="soft" role="status">
			{note}
		</p>
	);
}

/** The heading of a view. It sets the page title and takes the focus when the view opens. */
export function Heading({ children }: { children: string }) {
	const heading = useRef<HTMLHeadingElement>(null);
	useLayoutEffect(() => {
		document.title = `${children} · animal-store`;
		// In a low window, the whole page scrolls, so the page returns to its top for this view.
		scrollTo(0, 0);
		heading.current?.focus({ preventScroll: true });
	}, [children]);
	return (
		<h1 tabIndex={-1} ref={heading}>
			{children}
		</h1>
	);
}
