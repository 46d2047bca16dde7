// The sign-in form: takes an API key, checks it against the service, and passes the session to the app.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../../../client/src/index.ts";
import { Form } from "../parts/fields.tsx";
import { Heading, Problem, Waiting } from "../parts/notes.tsx";
import { sentenceOf } from "../parts/sentences.ts";

interface SignInProps {
	reason: string | undefined;
	/** @throws ApiError, NoReply */
	onSignIn(key: string, isOnComputer: boolean, signal: AbortSignal): Promise<void>;
}

export function SignIn({ reason, onSignIn }: SignInProps) {
	const [isPending, setIsPending] = useState(false);
	const [problem, setProblem] = useState<string>();
	const field = useRef<HTMLInputElement>(null);
	const leaving = useRef(new AbortController());
	useLayoutEffect(() => {
		field.current?.focus();
		return () => leaving.current.abort();
	}, []);

	async function submit(form: HTMLFormElement): Promise<void> {
		const entries = new FormData(form);
		const key = String(entries.get("key")).trim();
		const malformed = problemOf(key);
		setProblem(malformed);
		if (malformed) return;
		setIsPending(true);
		try {
			await onSignIn(key, entries.get("keep") === "computer", leaving.current.signal);
		} catch (error) {
			if (leaving.current.signal.aborted) return;
			setProblem(describe(error));
			field.current?.focus();
		}
		setIsPending(false);
	}

	return (
		<main class="stack sign-in" id="main">
			<img class="mark" src="console/icon.svg" alt="" />
			<Heading>Sign in</Heading>
			{reason && (
				<p class="stack note" role="alert">
					{reason}
				</p>
			)}
			<Form class="stack" onSubmit={submit}>
				<label for="key">API key</label>
				<input
					id="key"
					name="key"
					type="password"
					autocomplete="off"
					spellcheck={false}
					aria-invalid={problem !== undefined}
					aria-describedby="key-problem"
					ref={field}
				/>
				<Problem id="key-problem">{problem}</Problem>
				<KeepChoice />
				<button type="submit" class="primary" aria-disabled={isPending}>
					Sign in
				</button>
				<Waiting isPending={isPending} />
			</Form>
			<p class="soft">
				No key yet? Whoever runs the server can create one: <code>npx animal-store keys create --name console</code>
			</p>
		</main>
	);
}

function KeepChoice() {
	return (
		<>
			<fieldset class="stack keep">
				<legend>Keep me signed in</legend>
				<label class="line">
					<input type="radio" name="keep" value="tab" defaultChecked /> In this tab
				</label>
				<label class="line">
					<input type="radio" name="keep" value="computer" /> On this computer
				</label>
			</fieldset>
			<p class="soft">
				“On this computer” is for all tabs, and ends after 12 hours. Choose it only where nobody else uses your browser.
			</p>
		</>
	);
}

/** Refuses text that a header cannot contain. */
function problemOf(key: string): string | undefined {
	if (key === "") return "Paste an API key first.";
	if (!/^[!-~]+$/.test(key)) return "A key has only letters, digits and underscores. Paste the whole key again.";
	return undefined;
}

function describe(error: unknown): string {
	if (error instanceof ApiError && error.status === 401)
		return "This key does not work. Check that it is complete, or ask for a new one.";
	return sentenceOf(error);
}
