// The header of the console: views, search, and the account.

import { useRef } from "preact/hooks";
import { SearchField } from "./list/search-field.tsx";
import { Button, KeyButton } from "./parts/button.tsx";
import { firstAnimals, hashOf, type Route } from "./parts/route.ts";
import { ctrl } from "./parts/shortcuts.ts";
import { AccountMenu, type AccountProps } from "./session/account-menu.tsx";
import { may } from "./session/session.ts";

interface HeaderProps {
	route: Route;
	/** Absent before signing in. */
	signedIn?: AccountProps & { openPalette(): void };
}

export function Header({ route, signedIn }: HeaderProps) {
	const animals = useRef(firstAnimals());
	if (route.view === "animals") animals.current = { ...route, id: undefined };
	return (
		<header>
			<Button class="skip" label="Skip to the content" onClick={() => document.querySelector("h1")?.focus()} />
			<span class="wordmark">
				<img class="mark" src="console/icon.svg" alt="" />
				<span>animal-store</span>
			</span>
			<nav aria-label="Views">
				{signedIn && (
					<>
						<NavLink to={animals.current} at={route} label="Animals" />
						{may(signedIn.session, "pets:read") && <NavLink to={{ view: "changes" }} at={route} label="Changes" />}
					</>
				)}
				<a href="docs" target="_blank" title="Opens a new tab" rel="noopener">
					Reference
				</a>
			</nav>
			{signedIn && (
				<>
					{route.view === "animals" && may(signedIn.session, "pets:read") && <SearchField route={route} />}
					<div class="line right">
						<KeyButton keys={`${ctrl} K`} meaning="commands" class="palette-button" onClick={signedIn.openPalette} />
						<AccountMenu {...signedIn} />
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
