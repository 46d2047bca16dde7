// The sign-in form: takes an API key, checks it against the service, and passes it to the app.

import type { TargetedSubmitEvent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Heading, sentenceOf, Waiting } from "./notes.tsx";
import { checkKey } from "./session.ts";

interface SignInProps {
	/** Why the service ended the last session. */
	reason: string | undefined;
	onSignIn(key: string, isKept: boolean): void;
}

export function SignIn({ reason, onSignIn }: SignInProps) {
	const [isPending, setIsPending] = useState(false);
	const [problem, setProblem] = useState<string>();
	const field = useRef<HTMLInputElement>(null);
	const leaving = useRef(new AbortController());
	useEffect(() => () => leaving.current.abort(), []);

	async function submit(event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> {
		event.preventDefault();
		const entries = new FormData(event.currentTarget);
		const key = String(entries.get("key")).trim();
		setProblem(undefined);
		setIsPending(true);
		try {
			await validateKey(key, leaving.current.signal);
			onSignIn(key, entries.has("keep"));
		} catch (error) {
			if (leaving.current.signal.aborted) return;
			setProblem(error instanceof MalformedKey ? error.message : sentenceOf(error));
			setIsPending(false);
			field.current?.focus();
		}
	}

	return (
		<main class="sign-in" id="main">
			<Heading>Sign in</Heading>
			{reason && (
				<p class="note failure" role="alert">
					You were signed out, because the server no longer takes your key. It says: {reason}. What you had entered is
					kept.
				</p>
			)}
			<form class="card" method="post" onSubmit={submit}>
				<label for="key">API key</label>
				<input
					id="key"
					name="key"
					type="password"
					autocomplete="off"
					spellcheck={false}
					aria-invalid={problem !== undefined}
					aria-describedby="key-problem key-hint"
					ref={field}
				/>
				<p id="key-problem" class="problem" role="alert">
					{problem}
				</p>
				<label class="check">
					<input type="checkbox" name="keep" /> Keep for this tab
				</label>
				<p id="key-hint" class="quiet">
					The key stays in this page's memory and is gone when you reload it. Kept for this tab, it is gone when you
					close the tab.
				</p>
				<button type="submit" class="main" disabled={isPending}>
					Sign in
				</button>
				<Waiting isPending={isPending} />
			</form>
			<p class="quiet">
				No key yet? Where the service runs: <code>npx animal-store keys create --name console</code>
			</p>
		</main>
	);
}

class MalformedKey extends Error {}

/** Refuses text that a header cannot carry, then asks the service. */
async function validateKey(key: string, signal: AbortSignal): Promise<void> {
	if (key === "") throw new MalformedKey("Paste an API key first.");
	if (!/^[!-~]+$/.test(key))
		throw new MalformedKey("A key has only letters, digits and underscores. Paste the whole key again.");
	await checkKey(key, signal);
}
