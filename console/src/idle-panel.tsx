// What a wide window shows in the panel's place while no animal is open, so that the rows never move: the keys. The
// sheet of all keys has the same list.

import type { Scope } from "../../src/contract/operations.ts";
import { may, type Session } from "./session.ts";

/** Several keys are two blanks apart. The scope is what they need, if anything. */
export type Key = readonly [keys: string, meaning: string, scope?: Scope];

const keys: Key[] = [
	["↑  ↓", "move"],
	["Enter", "open"],
	["s", "set status", "pets:edit"],
	["x", "select", "pets:edit"],
	["n", "add an animal", "pets:write"],
	["?", "all keys"],
];

export function IdlePanel({ session }: { session: Session }) {
	return (
		<aside class="idle" aria-label="Keys">
			<p>Choose an animal to see it here.</p>
			<KeyList keys={keys} session={session} />
		</aside>
	);
}

/** Those that the key of the session can use. */
export function KeyList({ keys, session }: { keys: readonly Key[]; session: Session }) {
	const possible = keys.filter(([, , scope]) => scope === undefined || may(session, scope));
	return (
		<dl class="key-list">
			{possible.map(([key, meaning]) => (
				<div key={key}>
					<dt>
						{key.split("  ").map((one) => (
							<kbd key={one}>{one}</kbd>
						))}
					</dt>
					<dd>{meaning}</dd>
				</div>
			))}
		</dl>
	);
}
