// One animal beside the list. Its data come from the list; for a link to an animal that is not on the page, the console
// looks it up by id, as long as the service has that operation.

import { Fragment } from "preact";
import { useState } from "preact/hooks";
import { ApiError } from "../../client/src/index.ts";
import { curlOf, inLines } from "../../src/contract/curl.ts";
import { getPetDeprecation, sunsetDay } from "../../src/contract/deprecation.ts";
import type { Pet } from "../../src/contract/pet.ts";
import { CopyButton } from "./copy-button.tsx";
import { Banner, FailureNote, Waiting } from "./notes.tsx";
import { columns, Status } from "./pet-table.tsx";
import { type AnimalsRoute, filterTexts, hashOf } from "./route.ts";
import type { Session } from "./session.ts";
import { createCurlOf, jsonOf } from "./snippets.ts";
import { useRequest } from "./use-request.ts";

interface PetPanelProps {
	session: Session;
	route: AnimalsRoute & { id: string };
	/** The animals that the list shows; undefined before its first reply. */
	pets: Pet[] | undefined;
	onClose(): void;
}

export function PetPanel({ session, route, pets, onClose }: PetPanelProps) {
	const listed = pets?.find((pet) => String(pet.id) === route.id);
	const title = listed ? listed.name : `Animal ${route.id}`;
	return (
		<aside class="panel" aria-label={title}>
			{listed ? (
				<Details pet={listed} route={route} onClose={onClose} />
			) : pets === undefined ? (
				<Waiting isPending />
			) : (
				<LookedUp session={session} route={route} onClose={onClose} />
			)}
		</aside>
	);
}

function PanelHead({ pet, title, onClose }: { pet?: Pet; title: string; onClose(): void }) {
	return (
		<div class="head">
			<h2 dir="auto">{title}</h2>
			{pet && <Status status={pet.status} />}
			<button type="button" class="quiet close" onClick={onClose}>
				<kbd>Esc</kbd> <span class="hidden">close</span>
			</button>
		</div>
	);
}

const { name: _name, status: _status, ...others } = columns;
/** The head of the panel shows the name and the status. */
const shownBelow = Object.values(others);

function Details({ pet, route, onClose }: { pet: Pet; route: AnimalsRoute; onClose(): void }) {
	const link = new URL(hashOf({ ...route, id: String(pet.id) }), location.href).href;
	return (
		<>
			<PanelHead pet={pet} title={pet.name} onClose={onClose} />
			<dl>
				{shownBelow.map(({ label, cell }) => (
					<Fragment key={label}>
						<dt>{label}</dt>
						<dd class="num">{cell(pet)}</dd>
					</Fragment>
				))}
			</dl>
			<Snippets pet={pet} route={route} />
			<CopyButton label="Copy link" text={link} isQuiet />
		</>
	);
}

const snippetNames = ["JSON", "curl: list", "curl: add"] as const;
type SnippetName = (typeof snippetNames)[number];

function Snippets({ pet, route }: { pet: Pet; route: AnimalsRoute }) {
	const [shown, setShown] = useState<SnippetName>("JSON");
	const query = queryOf(route);
	const text = {
		JSON: () => jsonOf(pet),
		"curl: list": () => inLines(curlOf(`${location.origin}/v1/pets${query && `?${query}`}`)),
		"curl: add": () => createCurlOf(location.origin, pet),
	}[shown]();
	return (
		<section class="snippets" aria-label="Copy">
			<div class="tabs">
				{snippetNames.map((name) => (
					<button key={name} type="button" aria-pressed={name === shown} onClick={() => setShown(name)}>
						{name}
					</button>
				))}
			</div>
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
			<pre tabIndex={0}>{text}</pre>
			<CopyButton label={`Copy ${shown}`} text={text} />
		</section>
	);
}

/** The query of the page of the list that is shown. */
function queryOf(route: AnimalsRoute): string {
	const { limit, cursor } = route;
	return String(new URLSearchParams({ limit: String(limit), ...filterTexts(route), ...(cursor && { cursor }) }));
}

function LookedUp({ session, route, onClose }: Omit<PetPanelProps, "pets">) {
	const { id } = route;
	const { value, failure, retryAtMs, isPending, reload } = useRequest(
		(signal) => session.store.getPet(BigInt(id), { signal }),
		[session, id],
	);
	const isShown = value !== undefined && String(value.id) === id;
	return (
		<>
			{isShown ? (
				<Details pet={value} route={{ ...route, cursor: undefined }} onClose={onClose} />
			) : (
				<PanelHead title={`Animal ${id}`} onClose={onClose} />
			)}
			<Waiting isPending={isPending} />
			{failure !== undefined && retryAtMs !== undefined && (
				<Banner failure={failure} retryAtMs={retryAtMs} shown="" onRetry={reload} />
			)}
			{failure !== undefined && retryAtMs === undefined && (
				<FailureNote title={`Animal ${id} cannot be shown`} failure={failure}>
					{failure instanceof ApiError && failure.code === "operation_removed" ? (
						<p>It is not on this page of the list, and the lookup by id was removed.</p>
					) : undefined}
				</FailureNote>
			)}
			<p class="soft">
				It is not on this page of the list, and was looked up by its id. That operation will be removed on{" "}
				{sunsetDay(getPetDeprecation)}; the list stays.
			</p>
		</>
	);
}
