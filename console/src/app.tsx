// The frame of the console: the session, the open view, and state that outlives a view, such as a half-filled form.

import { useRef, useState } from "preact/hooks";
import { type Adding, emptyForm } from "./adding.ts";
import { Animals } from "./animals.tsx";
import { LazyActivity } from "./lazy-activity.tsx";
import { createHistory } from "./rates.ts";
import { firstAnimals, hashOf, type Route, useRoute } from "./route.ts";
import { loadKey, openSession, removeKey, type Session, saveKey } from "./session.ts";
import { SignIn } from "./sign-in.tsx";

export function App() {
	const route = useRoute();
	const [reason, setReason] = useState<string>();
	const [session, setSession] = useState<Session | undefined>(() => {
		const key = loadKey();
		return key === undefined ? undefined : openSession(key, (message) => onRefused(key, message));
	});
	const current = useRef(session);
	current.current = session;
	const [adding, setAdding] = useState<Adding>(emptyForm);
	const history = useRef(createHistory());

	function endSession(message?: string): void {
		removeKey();
		setReason(message);
		setSession(undefined);
	}
	/** Ignores a late reply for a key that has already signed out. */
	function onRefused(key: string, message: string): void {
		if (current.current?.key === key) endSession(message);
	}
	function signIn(key: string, isKept: boolean): void {
		if (isKept) saveKey(key);
		setReason(undefined);
		setSession(openSession(key, (message) => onRefused(key, message)));
	}
	function signOut(): void {
		setAdding(emptyForm);
		history.current = createHistory();
		endSession();
	}

	return (
		<>
			<Header route={route} session={session} signOut={signOut} />
			{session === undefined ? (
				<SignIn reason={reason} onSignIn={signIn} />
			) : route.view === "activity" ? (
				<LazyActivity session={session} history={history.current} />
			) : (
				<Animals session={session} route={route} adding={adding} setAdding={setAdding} />
			)}
		</>
	);
}

interface HeaderProps {
	route: Route;
	session: Session | undefined;
	signOut(): void;
}

function Header({ route, session, signOut }: HeaderProps) {
	const animals = useRef(firstAnimals);
	if (route.view === "animals") animals.current = route;
	return (
		<header>
			<button type="button" class="skip" onClick={() => document.querySelector("h1")?.focus()}>
				Skip to the content
			</button>
			<span class="wordmark">animal-store</span>
			{session && (
				<>
					<nav aria-label="Views">
						<NavLink to={animals.current} at={route} label="Animals" />
						<NavLink to={{ view: "activity" }} at={route} label="Activity" />
					</nav>
					<span class="quiet key">
						Key <code>…{session.key.slice(-4)}</code>
					</span>
					<button type="button" onClick={signOut}>
						Sign out
					</button>
				</>
			)}
		</header>
	);
}

function NavLink({ to, at, label }: { to: Route; at: Route; label: string }) {
	return (
		<a href={hashOf(to)} aria-current={to.view === at.view ? "page" : undefined}>
			{label}
		</a>
	);
}
