// The Animals view: a page of the list with its filter, the look-up, and the form that adds an animal.

import type { Page } from "../../client/src/index.ts";
import { AddForm, focusField } from "./add-form.tsx";
import type { Adding } from "./adding.ts";
import { CopyLink } from "./copy-link.tsx";
import { LookUp } from "./look-up.tsx";
import { FailureNote, Heading, Waiting } from "./notes.tsx";
import { PetTable } from "./pet-table.tsx";
import { type AnimalsRoute, go, hashOf, pageSizes, petStatuses } from "./route.ts";
import type { Session } from "./session.ts";
import { type RequestState, useRequest } from "./use-request.ts";

interface AnimalsProps {
	session: Session;
	route: AnimalsRoute;
	adding: Adding;
	setAdding(next: Adding | ((before: Adding) => Adding)): void;
}

export function Animals({ session, route, adding, setAdding }: AnimalsProps) {
	const { status, limit, cursor } = route;
	const request = useRequest(
		(signal) => session.store.listPage({ status, limit, cursor }, { signal }),
		[session, status, limit, cursor],
	);
	return (
		<main id="main" class="animals">
			<Heading>Animals</Heading>
			<section class="card list" aria-label="List">
				<Toolbar route={route} refresh={request.reload} />
				<ListContent request={request} route={route} newest={adding.added} />
				<Paging request={request} route={route} />
			</section>
			<aside aria-label="Look up and add">
				<LookUp session={session} route={route} />
				<AddForm session={session} adding={adding} setAdding={setAdding} onAdded={request.reload} />
			</aside>
		</main>
	);
}

/** A change of filter or page size returns to the first page. */
function Toolbar({ route, refresh }: { route: AnimalsRoute; refresh(): void }) {
	const restart = (part: Partial<AnimalsRoute>) => go({ ...route, cursor: undefined, ...part });
	return (
		<div class="toolbar">
			<label>
				Status{" "}
				<select
					value={route.status ?? ""}
					onChange={({ currentTarget: { value } }) => restart({ status: petStatuses.find((each) => each === value) })}
				>
					<option value="">all</option>
					{petStatuses.map((status) => (
						<option key={status}>{status}</option>
					))}
				</select>
			</label>
			<label>
				Per page{" "}
				<select
					value={String(route.limit)}
					onChange={({ currentTarget: { value } }) => restart({ limit: Number(value) })}
				>
					{pageSizes.map((size) => (
						<option key={size}>{size}</option>
					))}
				</select>
			</label>
			<button type="button" onClick={refresh}>
				Refresh
			</button>
			<CopyLink hash={hashOf(route)} />
			<button type="button" class="to-form" onClick={() => focusField("name")}>
				Add an animal
			</button>
		</div>
	);
}

interface ListContentProps {
	request: RequestState<Page>;
	route: AnimalsRoute;
	newest: Adding["added"];
}

function ListContent({ request: { value, failure, isPending, reload }, route, newest }: ListContentProps) {
	if (failure !== undefined) return <FailureNote title="The list is not shown" failure={failure} onRetry={reload} />;
	if (!value) return <Waiting isPending={isPending} />;
	return (
		<>
			{value.pets.length === 0 ? (
				<p class="empty">{emptySentence(route)}</p>
			) : (
				<PetTable pets={value.pets} newest={newest} isPending={isPending} />
			)}
			<Waiting isPending={isPending} />
		</>
	);
}

function emptySentence({ status, cursor }: AnimalsRoute): string {
	if (cursor) return "There are no animals on this page.";
	return status ? `No animal has the status ${status}.` : "There are no animals yet. Add the first one.";
}

/** The buttons use `aria-disabled`: a `disabled` button would lose the focus of a keyboard user. */
function Paging({ request: { value, isPending }, route }: { request: RequestState<Page>; route: AnimalsRoute }) {
	const links = isPending ? undefined : value;
	const button = (label: string, isEnabled: boolean, cursor: string | undefined) => (
		<button type="button" aria-disabled={!isEnabled} onClick={() => isEnabled && go({ ...route, cursor })}>
			{label}
		</button>
	);
	return (
		<nav class="paging" aria-label="Pages">
			<p role="status" class="quiet">
				{links && countOf(links)}
			</p>
			{button("First", Boolean(route.cursor), undefined)}
			{button("Previous", Boolean(links?.prev), links?.prev)}
			{button("Next", Boolean(links?.next), links?.next)}
			{button("Newest", Boolean(links?.last) && links?.last !== route.cursor, links?.last)}
		</nav>
	);
}

function countOf({ pets, next }: Page): string {
	if (pets.length === 0) return "No animals on this page";
	const animals = pets.length === 1 ? "1 animal" : `${pets.length} animals`;
	return `${animals} on this page · ${next ? "more follow" : "the last page"}`;
}
