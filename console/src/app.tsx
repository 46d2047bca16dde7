// The frame: who is signed in, which view is open, and what outlives a view, such as a form that is half filled in.

import { useRef, useState } from "preact/hooks";
import { type Adding, nothingAdded } from "./adding.ts";
import { Animals } from "./animals.tsx";
import { LazyActivity } from "./lazy-activity.tsx";
import { createHistory } from "./rates.ts";
import { firstAnimals, hashOf, type Route, useRoute } from "./route.ts";
import { forgetKey, keepKey, keptKey, openSession, type Session } from "./session.ts";
import { SignIn } from "./sign-in.tsx";
import { noWalk } from "./walk.ts";

export function App() {
	const route = useRoute();
	const [reason, setReason] = useState<string>();
	const [session, setSession] = useState<Session | undefined>(() => {
		const key = keptKey();
		return key === undefined ? undefined : openSession(key, (because) => refused(key, because));
	});
	const current = useRef(session);
	current.current = session;
	const [adding, setAdding] = useState<Adding>(nothingAdded);
	const walk = useRef(noWalk);
	const history = useRef(createHistory());

	function leave(because?: string): void {
		forgetKey();
		setReason(because);
		setSession(undefined);
	}
	/** A late reply to a key that has signed out meanwhile ends nobody else's session. */
	function refused(key: string, because: string): void {
		if (current.current?.key === key) leave(because);
	}
	function signIn(key: string, isKept: boolean): void {
		if (isKept) keepKey(key);
		setReason(undefined);
		setSession(openSession(key, (because) => refused(key, because)));
	}
	function signOut(): void {
		setAdding(nothingAdded);
		history.current = createHistory();
		leave();
	}

	return (
		<>
			<Header route={route} session={session} signOut={signOut} />
			{session === undefined ? (
				<SignIn reason={reason} onSignIn={signIn} />
			) : route.view === "activity" ? (
				<LazyActivity session={session} history={history.current} />
			) : (
				<Animals session={session} route={route} walk={walk} adding={adding} setAdding={setAdding} />
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
