// Shows the scopes of the session's key, and how long the browser keeps the key.

import type { Scope } from "../../../src/contract/operations.ts";
import { listOf } from "../parts/sentences.ts";
import { may, type Session } from "./session.ts";

export function AccountDetails({ session }: { session: Session }) {
	return (
		<>
			<p class="soft">{describeScopes(session)}</p>
			<p class="soft" role="status">
				{describeKept(session)}
			</p>
		</>
	);
}

const verbs: [Scope, string][] = [
	["pets:read", "see"],
	["pets:write", "add"],
	["pets:edit", "change"],
	["pets:edit", "remove"],
];

function describeScopes(session: Session): string {
	const done = verbs.flatMap(([scope, verb]) => (may(session, scope) ? [verb] : []));
	const animals = done.length > 0 ? `This key may ${listOf(done)} animals` : "This key may not see animals";
	return may(session, "metrics:read") ? `${animals}, and show the figures of the server.` : `${animals}.`;
}

const time = new Intl.DateTimeFormat(undefined, { dateStyle: "long", timeStyle: "short" });

function describeKept({ untilMs, info: { expiresAtMs } }: Session): string {
	const kept =
		untilMs === undefined ? "Signed in for this tab." : `Signed in on this computer until ${time.format(untilMs)}.`;
	return expiresAtMs === undefined ? kept : `${kept} The key expires on ${time.format(expiresAtMs)}.`;
}
