// The panel with one animal, next to the list, which has the animal's data. If a link names an animal that is not on
// the page, the console gets that animal by id (getPet), as long as the service has this operation.

import "./panel.css";
import { Fragment } from "preact";
import { newPetFields } from "../../../client/src/contract.ts";
import { ApiError } from "../../../client/src/index.ts";
import type { PastEdit } from "../../../src/contract/console.ts";
import { curlOf, curlWith, inLines } from "../../../src/contract/curl.ts";
import { getPetDeprecation } from "../../../src/contract/deprecation.ts";
import type { NewPet, Pet } from "../../../src/contract/pet.ts";
import { Button, KeyButton } from "../parts/button.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { Banner, FailureNote, Waiting } from "../parts/notes.tsx";
import { root } from "../parts/root.ts";
import { type AnimalsRoute, filterTexts, hashOf, isFound } from "../parts/route.ts";
import { moment, shortName } from "../parts/sentences.ts";
import { useRequest } from "../parts/use-request.ts";
import { may, type Session } from "../session/session.ts";
import { columns, Fact } from "./fact.tsx";
import { History } from "./history.tsx";
import { PetName } from "./pet-name.tsx";
import type { Editor } from "./use-editor.ts";
import type { Edits } from "./use-edits.ts";

interface PetPanelProps {
	session: Session;
	route: AnimalsRoute & { id: string };
	pets: Pet[] | undefined;
	/** Absent if the key may not edit. */
	editor: Editor | undefined;
	edits: Edits;
	move(by: 1 | -1): void;
	onClose(): void;
}

export function PetPanel({ move, onClose, ...props }: PetPanelProps) {
	const { route, pets } = props;
	const at = pets?.findIndex((pet) => String(pet.id) === route.id) ?? -1;
	const listed = pets?.[at];
	const title = listed ? listed.name : `Animal ${route.id}`;
	return (
		<aside class="panel" aria-label={title}>
			<div class="line steps">
				<p class="soft num">
					{listed && `${at + 1} of ${pets?.length} ${route.name === undefined ? "on this page" : "found"}`}
				</p>
				{step("Previous animal", "‹", at > 0, () => move(-1))}
				{step("Next animal", "›", at < (pets?.length ?? 0) - 1, () => move(1))}
				<KeyButton keys="Esc" meaning="close" class="close" onClick={onClose} />
			</div>
			{listed ? (
				<Details key={route.id} pet={listed} {...props} />
			) : pets === undefined ? (
				<Waiting isPending />
			) : (
				<LookedUp key={route.id} {...props} />
			)}
		</aside>
	);
}

const step = (name: string, arrow: "‹" | "›", isReady: boolean, act: () => void) => (
	<Button class="quiet step" label={arrow} aria-label={name} isReady={isReady} onClick={act} />
);

const facts = (Object.keys(columns) as (keyof Pet)[]).filter((field) => field !== "name");

type DetailsProps = Omit<PetPanelProps, "move" | "onClose" | "pets"> & { pet: Pet };

function Details({ session, pet, route, editor, edits }: DetailsProps) {
	return (
		<>
			{editor ? <PetName pet={pet} editor={editor} /> : <h2 dir="auto">{pet.name}</h2>}
			<dl>
				{facts.map((field) => (
					<Fragment key={field}>
						<dt>{columns[field].label}</dt>
						<dd class="num">
							<Fact field={field} pet={pet} editor={editor} />
						</dd>
					</Fragment>
				))}
			</dl>
			<History session={session} pet={pet} replies={edits.replies} />
			<Snippets pet={pet} route={route} mayAdd={may(session, "pets:write")} />
			{editor && (
				<Button
					class="quiet warn removal"
					label={`Remove ${shortName(pet.name)} …`}
					onClick={() => editor.askRemoval([pet])}
				/>
			)}
		</>
	);
}

function Snippets({ pet, route, mayAdd }: { pet: Pet; route: AnimalsRoute; mayAdd: boolean }) {
	const query = queryOf(route);
	const list = inLines(curlOf(`${root}/v1/pets${query && `?${query}`}`));
	const link = new URL(hashOf({ ...route, id: String(pet.id) }), location.href).href;
	const json = jsonOf(pet);
	return (
		<details>
			<summary>For developers</summary>
			<div class="stack snippets">
				{/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
				<pre tabIndex={0}>{json}</pre>
				<div class="line wraps">
					<CopyButton label="Copy JSON" text={json} />
					<CopyButton label="Copy curl: list" text={list} />
					{mayAdd && <CopyButton label="Copy curl: add" text={createCurlOf(pet)} />}
					<CopyButton label="Copy link" text={link} />
				</div>
			</div>
		</details>
	);
}

/** The query that lists the shown page. For a search, it has no cursor, and only filters that the interface has. */
function queryOf(route: AnimalsRoute): string {
	const { limit } = route;
	const cursor = isFound(route) ? undefined : route.cursor;
	return String(new URLSearchParams({ limit: String(limit), ...filterTexts(route), ...(cursor && { cursor }) }));
}

function LookedUp({ session, route, editor, edits }: Omit<DetailsProps, "pet">) {
	const { id } = route;
	const { value, failure, retryAtMs, isPending, reload } = useRequest(
		(signal) => session.store.getPet(BigInt(id), { signal }),
		[session, id, edits.replies],
	);
	const isShown = value !== undefined && String(value.id) === id && failure === undefined;
	const isGone = failure instanceof ApiError && failure.code === "pet_not_found";
	const [pet] = isShown ? (editor?.edits.edited([value]) ?? [value]) : [];
	return (
		<>
			{pet ? (
				<Details key={id} {...{ session, pet, editor, edits }} route={{ ...route, cursor: undefined }} />
			) : (
				<h2 dir="auto">{edits.nameOf(id) ?? `Animal ${id}`}</h2>
			)}
			<Waiting isPending={isPending} />
			{failure !== undefined && retryAtMs !== undefined && (
				<Banner failure={failure} retryAtMs={retryAtMs} shown="" onRetry={reload} />
			)}
			{isGone && <Gone session={session} id={id} name={edits.nameOf(id)} />}
			{failure !== undefined && retryAtMs === undefined && !isGone && (
				<FailureNote title={`Animal ${id} cannot be shown`} failure={failure}>
					{failure instanceof ApiError && failure.code === "operation_removed" ? (
						<p>This animal is not on this page of the list, and the lookup by id was removed.</p>
					) : undefined}
				</FailureNote>
			)}
			{pet && (
				<p class="soft">
					This animal is not on this page of the list, and was looked up by its id. The lookup will be removed on{" "}
					{getPetDeprecation.sunsetDay}; the list stays.
				</p>
			)}
		</>
	);
}

/** Says who removed an animal, with the animal's name as this window has shown it. */
function Gone({ session, id, name }: { session: Session; id: string; name: string | undefined }) {
	const { value, isPending } = useRequest(
		(signal) => session.ask<{ edits: PastEdit[] }>(`/console/history?id=${id}`, { signal }),
		[session, id],
	);
	const removal = value?.edits.find(({ action }) => action === "remove");
	const what = name === undefined ? `animal ${id}` : shortName(name);
	if (isPending && !value) return <Waiting isPending />;
	return (
		<FailureNote title={removal ? `${removal.editor} removed ${what}` : `There is no ${what}`}>
			<p>{removal ? `On ${moment.format(removal.atMs)}. A removal cannot be undone.` : "It may have been removed."}</p>
		</FailureNote>
	);
}

/** An animal's JSON as the service sends it, but on several lines. */
function jsonOf(pet: Pet): string {
	return `{\n  ${membersOf(["id", ...newPetFields], pet, ": ").join(",\n  ")}\n}`;
}

/** The fields as exact JSON: JSON.stringify cannot write a bigint. */
function membersOf(fields: readonly (keyof Pet)[], pet: Partial<Pet>, colon: string): string[] {
	return fields.flatMap((field) => {
		const value = pet[field];
		if (value === undefined) return [];
		return [`"${field}"${colon}${typeof value === "bigint" ? value : JSON.stringify(value)}`];
	});
}

/** A command line that adds an animal with these fields. */
function createCurlOf(pet: NewPet): string {
	return inLines(curlWith(`{${membersOf(newPetFields, pet, ":").join()}}`, `${root}/v1/pets`));
}
