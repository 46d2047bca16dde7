// The account menu. It shows the key, its name, its scopes and how long the browser keeps the key; it opens the Server
// view, and signs out. The palette has the same commands.

import { useState } from "preact/hooks";
import { Button } from "../parts/button.tsx";
import { copied, TextToCopy } from "../parts/copy-button.tsx";
import { LazyPart, lazy } from "../parts/lazy-view.tsx";
import { Menu } from "../parts/menu.tsx";
import { go } from "../parts/route.ts";
import { useCommands } from "../parts/shortcuts.ts";
import type { Session } from "./session.ts";

export interface AccountProps {
	session: Session;
	/** Keeps the key on this computer for some hours, or only in the tab. */
	keep(isOnComputer: boolean): void;
	signOut(): void;
}

export function AccountMenu({ session, keep, signOut }: AccountProps) {
	const { key, info, untilMs } = session;
	/** What the open menu shows about the key. */
	const [open, setOpen] = useState<"no key" | "the key" | "the copied key">();
	async function showKey(): Promise<void> {
		setOpen("the key");
		if (await copied(key)) setOpen((now) => now && "the copied key");
	}
	const isInTab = untilMs === undefined;
	const commands = [
		{ label: "Show the key", run: showKey },
		{
			label: "Server",
			run() {
				setOpen(undefined);
				go({ view: "server" });
			},
		},
		{ label: `Stay signed in ${isInTab ? "on this computer" : "for this tab only"}`, run: () => keep(isInTab) },
		{
			label: isInTab ? "Sign out" : "Sign out of this computer",
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
			title={`${info.name} …${key.slice(-4)}`}
			isOpen={open !== undefined}
			setIsOpen={(isOpen) => setOpen(isOpen ? "no key" : undefined)}
		>
			<div class="account">
				<LazyPart part={lazyDetails} props={{ session }} />
			</div>
			<div role="status">
				{open !== "no key" && <TextToCopy label={open === "the key" ? "The key" : "The key, copied"} text={key} />}
			</div>
			{commands.map(({ label, run }, index) => (
				// The button stays the same when its label changes, so that it keeps the focus.
				<Button key={index} label={label} onClick={run} />
			))}
		</Menu>
	);
}

const lazyDetails = lazy(() => import("./account-details.tsx").then(({ AccountDetails }) => AccountDetails));
