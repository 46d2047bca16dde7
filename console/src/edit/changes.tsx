// The Changes view: who changed which animal when. It lists the changes of everybody or of one person by day, newest
// first. A change of status or category can be undone while the animal still has the new value.

import "./changes.css";
import { useContext } from "preact/hooks";
import type { Change, Changes as ChangesReply } from "../../../src/contract/console.ts";
import { CategoriesContext } from "../categories/categories.ts";
import { Button } from "../parts/button.tsx";
import { ActiveChip } from "../parts/chip.tsx";
import { Banner, FailureNote, MissingScope, Waiting } from "../parts/notes.tsx";
import { type ChangesRoute, firstAnimals, go, hashOf } from "../parts/route.ts";
import { shortName } from "../parts/sentences.ts";
import { useRequest } from "../parts/use-request.ts";
import { may, type Session } from "../session/session.ts";
import { ChangeText } from "./change-text.tsx";
import { type Edit, stateAfter } from "./edits.ts";
import type { Edits } from "./use-edits.ts";

const pageSize = 50;
/** A page reads at most this many replies. A reply about one person searches some thousand edits, and may find none. */
const repliesMax = 20;

interface ChangesProps {
	session: Session;
	route: ChangesRoute;
	edits: Edits;
	/** The number of edits by all callers. When this number changes, the view is read again. */
	editCount: number | undefined;
}

export function Changes({ session, route, edits, editCount }: ChangesProps) {
	const { editor, before } = route;
	const mayRead = may(session, "pets:read");
	const { value, loadedAtMs, failure, retryAtMs, isPending, reload } = useRequest(
		(signal) => (mayRead ? readChanges(session, route, edits, signal) : Promise.resolve(undefined)),
		[session, editor, before, editCount, edits.replies],
	);
	if (!mayRead) return <MissingScope title="This key may not see changes" scope="pets:read" />;
	if (failure !== undefined && !value && retryAtMs === undefined)
		return <FailureNote title="The changes cannot be shown" failure={failure} onRetry={reload} />;
	const show = (change: Omit<ChangesRoute, "view">) => go({ view: "changes", editor, ...change });
	return (
		<div class="changes">
			{failure !== undefined && (
				<Banner {...{ failure, retryAtMs }} shown="These changes" shownSinceMs={loadedAtMs} onRetry={reload} />
			)}
			<div class="line wraps">
				{editor !== undefined && (
					<ActiveChip
						label={`By ${shortName(editor)}`}
						meaning={`By ${editor}: show the changes of everybody`}
						onRemove={() => show({ editor: undefined })}
					/>
				)}
				<p class="soft">Changes and removals of animals. What was added is in the list, newest first.</p>
			</div>
			{value && <Days changes={value.edits} {...{ session, edits }} />}
			{value?.edits.length === 0 && <p role="status">{describeNone(route, value)}</p>}
			<nav class="line" aria-label="Pages">
				{before !== undefined && <Button label="Newest" onClick={() => show({})} />}
				{value?.next !== undefined && <Button label="Older" onClick={() => show({ before: String(value.next) })} />}
				<Waiting isPending={isPending} />
			</nav>
		</div>
	);
}

async function readChanges({ ask }: Session, { editor, before }: ChangesRoute, { see }: Edits, signal: AbortSignal) {
	const edits: Change[] = [];
	let next: bigint | string | undefined = before;
	for (let replies = 0; replies < repliesMax && edits.length < pageSize; replies++) {
		const query = new URLSearchParams({
			limit: String(pageSize - edits.length),
			...(editor && { editor }),
			...(next && { before: String(next) }),
		});
		const reply = await ask<ChangesReply>(`/console/changes?${query}`, { signal });
		edits.push(...reply.edits);
		see(reply.edits.flatMap(({ pet }) => pet ?? []));
		next = reply.next;
		if (next === undefined) break;
	}
	return { edits, next };
}

function describeNone({ editor, before }: ChangesRoute, { next }: { next?: unknown }): string {
	if (next !== undefined) return "No change was found yet. Older ones may follow.";
	if (before !== undefined) return "No older changes.";
	return editor === undefined ? "Nothing was changed yet." : `${editor} has changed nothing.`;
}

const day = new Intl.DateTimeFormat(undefined, { dateStyle: "full" });
const time = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });

interface DaysProps extends Pick<ChangesProps, "session" | "edits"> {
	changes: readonly Change[];
}

function Days({ changes, session, edits }: DaysProps) {
	const { labelOf } = useContext(CategoriesContext);
	const undos = may(session, "pets:edit") ? undosOf(changes) : new Map<Change, Edit>();
	const list = firstAnimals();
	function apply(undo: Edit): void {
		edits.apply([undo]);
		// Moves the focus away from the button, because the next reply removes the button.
		document.querySelector("h1")?.focus({ preventScroll: true });
	}
	const days = [...Map.groupBy(changes, ({ atMs }) => day.format(atMs))];
	return days.map(([title, ofDay]) => (
		<section key={title} aria-label={title}>
			<h2>{title}</h2>
			<ol>
				{ofDay.map((edit) => {
					const undo = undos.get(edit);
					return (
						<li key={String(edit.id)}>
							<span class="soft num">{time.format(edit.atMs)}</span>
							<p>
								<ChangeText edit={edit} edits={edits} list={list} /> <span class="soft">by </span>
								<a href={hashOf({ view: "changes", editor: edit.editor })}>{shortName(edit.editor)}</a>
							</p>
							{undo && (
								<Button
									class="quiet"
									label="Undo"
									aria-label={`Undo: ${shortName(undo.pet.name)} ${stateAfter(undo.change, labelOf)}`}
									onClick={() => apply(undo)}
								/>
							)}
						</li>
					);
				})}
			</ol>
		</section>
	));
}

/** The edits that undo each animal's last change of status or category, if the animal still has the new value. */
function undosOf(changes: readonly Change[]): Map<Change, Edit> {
	const undos = new Map<Change, Edit>();
	const seen = new Set<string>();
	for (const edit of changes) {
		const { pet, action, petId, fromStatus, toStatus, fromCategoryId, toCategoryId } = edit;
		const isLast = !seen.has(`${action} ${petId}`);
		seen.add(`${action} ${petId}`);
		if (!pet || !isLast) continue;
		if (action === "set-status" && pet.status === toStatus)
			undos.set(edit, { pet, change: { action, status: fromStatus } });
		if (action === "set-category" && fromCategoryId !== undefined && String(pet.categoryId) === String(toCategoryId))
			undos.set(edit, { pet, change: { action, categoryId: BigInt(fromCategoryId) } });
	}
	return undos;
}
