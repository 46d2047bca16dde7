// The menu of the account: whose key is in use, what it may do, how long it is kept, and signing out.

import type { Scope } from "../../src/contract/operations.ts";
import { Menu } from "./menu.tsx";
import { may, type Session } from "./session.ts";

interface AccountProps {
	session: Session;
	signOut(): void;
}

export function AccountMenu({ session, signOut }: AccountProps) {
	const { key, info } = session;
	const label = (
		<>
			<span class="face" data-letter={Array.from(info.name)[0]?.toUpperCase()} />
			<span class="key-name">{info.name}</span>
		</>
	);
	return (
		<Menu label={label} name={`Account: ${info.name}`} isQuiet>
			{(close) => (
				<>
					<div class="account">
						<h2>
							{info.name} <code class="soft">…{key.slice(-4)}</code>
						</h2>
						<p class="soft">{describeScopes(session)}</p>
						<p class="soft">{describeKept(session)}</p>
					</div>
					<button
						type="button"
						onClick={() => {
							close();
							signOut();
						}}
					>
						Sign out of all tabs
					</button>
				</>
			)}
		</Menu>
	);
}

const list = new Intl.ListFormat("en");
const verbs: [Scope, string][] = [
	["pets:read", "see"],
	["pets:write", "add"],
	["pets:edit", "change"],
	["pets:edit", "remove"],
];

function describeScopes(session: Session): string {
	const done = verbs.flatMap(([scope, verb]) => (may(session, scope) ? [verb] : []));
	const animals = done.length > 0 ? `This key may ${list.format(done)} animals` : "This key may not see animals";
	return may(session, "metrics:read") ? `${animals}, and show the activity.` : `${animals}.`;
}

const time = new Intl.DateTimeFormat(undefined, { dateStyle: "long", timeStyle: "short" });

function describeKept({ untilMs, info: { expiresAtMs } }: Session): string {
	const kept =
		untilMs === undefined
			? "Signed in for this tab, and for tabs opened from now on."
			: `Signed in on this computer until ${time.format(untilMs)}.`;
	return expiresAtMs === undefined ? kept : `${kept} The key expires on ${time.format(expiresAtMs)}.`;
}
