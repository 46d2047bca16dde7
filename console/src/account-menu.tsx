// The menu of the account: whose key is in use, what it may do, how long it is kept, and signing out. Its commands are
// in the palette, too.

import { useState } from "preact/hooks";
import type { Scope } from "../../src/contract/operations.ts";
import { copied } from "./copy-button.tsx";
import { Menu } from "./menu.tsx";
import { may, type Session } from "./session.ts";
import { useCommands } from "./shortcuts.ts";

export interface AccountProps {
	session: Session;
	/** Keeps the key on this computer for some hours, or in the tab only. */
	keep(isOnComputer: boolean): void;
	signOut(): void;
}

export function AccountMenu({ session, keep, signOut }: AccountProps) {
	const { key, info, untilMs } = session;
	/** What the menu shows of the key, if it is open. */
	const [open, setOpen] = useState<"no key" | "the key" | "the copied key">();
	async function showKey(): Promise<void> {
		setOpen("the key");
		if (await copied(key)) setOpen((now) => now && "the copied key");
	}
	const isInTab = untilMs === undefined;
	const commands = [
		{ label: "Show the key", run: showKey },
		{ label: `Stay signed in ${isInTab ? "on this computer" : "in this tab only"}`, run: () => keep(isInTab) },
		{
			label: "Sign out of all tabs",
			run() {
				setOpen(undefined);
				signOut();
			},
		},
	];
	useCommands(() => commands);
	const label = (
		<>
			<span class="face" data-letter={Array.from(info.name)[0]?.toUpperCase()} />
			<span class="key-name">{info.name}</span>
		</>
	);
	return (
		<Menu
			label={label}
			name={`Account: ${info.name}`}
			isOpen={open !== undefined}
			setIsOpen={(isOpen) => setOpen(isOpen ? "no key" : undefined)}
		>
			<div class="account">
				<h2>
					{info.name} <code class="soft">…{key.slice(-4)}</code>
				</h2>
				<p class="soft">{describeScopes(session)}</p>
				<p class="soft" role="status">
					{describeKept(session)}
				</p>
			</div>
			<div role="status">
				{open !== "no key" && (
					<label class="wide">
						{open === "the key" ? "The key" : "The key, copied"}
						<input readOnly value={key} onFocus={(event) => event.currentTarget.select()} />
					</label>
				)}
			</div>
			{commands.map(({ label, run }) => (
				<button key={label} type="button" onClick={run}>
					{label}
				</button>
			))}
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
