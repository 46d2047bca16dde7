// The head of the console: views, search, and the account.

import { useRef } from "preact/hooks";
import { AccountMenu } from "./account-menu.tsx";
import { firstAnimals, hashOf, type Route } from "./route.ts";
import { SearchField } from "./search-field.tsx";
import { may, type Session } from "./session.ts";

interface HeaderProps {
	route: Route;
	session: Session | undefined;
	openPalette(): void;
	signOut(): void;
}

export function Header({ route, session, openPalette, signOut }: HeaderProps) {
	const animals = useRef(firstAnimals);
	if (route.view === "animals") animals.current = { ...route, id: undefined };
	return (
		<header>
			<button type="button" class="skip" onClick={() => document.querySelector("h1")?.focus()}>
				Skip to the content
			</button>
			<span class="wordmark">
				<img class="mark" src="/console/icon.svg" alt="" />
				<span>animal-store</span>
			</span>
			<nav aria-label="Views">
				{session && (
					<>
						<NavLink to={animals.current} at={route} label="Animals" />
						<NavLink to={{ view: "activity" }} at={route} label="Activity" />
					</>
				)}
				<a href="/docs" target="_blank" title="Opens a new tab" rel="noopener">
					Reference
				</a>
			</nav>
			{session && (
				<>
					{route.view === "animals" && may(session, "pets:read") && <SearchField route={route} />}
					<div class="right">
						<button type="button" class="quiet palette-button" onClick={openPalette}>
							<kbd>Ctrl K</kbd> <span class="hidden">commands</span>
						</button>
						<AccountMenu session={session} signOut={signOut} />
					</div>
				</>
			)}
		</header>
	);
}

function NavLink({ to, at, label }: { to: Route; at: Route; label: string }) {
	const isAt = to.view === at.view || (to.view === "animals" && at.view === "add-many");
	return (
		<a href={hashOf(to)} aria-current={isAt ? "page" : undefined}>
			{label}
		</a>
	);
}
