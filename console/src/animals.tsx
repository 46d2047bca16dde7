// The Animals view: one page of the list or the results of a search, with an animal or the form beside it.

import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Filter } from "../../client/src/contract.ts";
import type { Totals } from "../../src/contract/activity.ts";
import type { Pet } from "../../src/contract/pet.ts";
import { AddPanel } from "./add-panel.tsx";
import type { Adding } from "./adding.ts";
import { EmptyStore } from "./empty-store.tsx";
import { ExportMenu } from "./export-menu.tsx";
import { Banner, digits, FailureNote, Heading, MissingScope, Waiting } from "./notes.tsx";
import { PetPanel } from "./pet-panel.tsx";
import { PetTable, SkeletonTable } from "./pet-table.tsx";
import {
	type AnimalsRoute,
	describeFilter,
	filterOf,
	go,
	hashOf,
	pageSizes,
	petStatuses,
	replaceRoute,
} from "./route.ts";
import { endSearch } from "./search-return.ts";
import { Search } from "./search-view.tsx";
import { may, type PetPage, type Session } from "./session.ts";
import { useShortcuts } from "./shortcuts.ts";
import { type RequestState, useRequest } from "./use-request.ts";
import { useSearch } from "./use-search.ts";
import { totalOf } from "./use-watch.ts";

export interface AnimalsProps {
	session: Session;
	route: AnimalsRoute;
	totals: Totals | undefined;
	/** The number of edits so far. */
	edits: number | undefined;
	adding: Adding;
	setAdding(next: Adding | ((before: Adding) => Adding)): void;
	isAdding: boolean;
	setIsAdding(isAdding: boolean): void;
}

export function Animals(props: AnimalsProps) {
	const { session, route, totals, adding, setAdding, isAdding, setIsAdding } = props;
	const { limit, cursor, name, id } = route;
	const mayList = may(session, "pets:read");
	const request = useRequest(
		async (signal) => (mayList ? session.store.listPage({ ...filterOf(route), limit, cursor }, { signal }) : undefined),
		[session, describeFilter(route), limit, cursor],
	);
	const search = useSearch(session, route);
	useNewAnimals(request, totals && totalOf(totals), props.edits);
	const pets = name === undefined ? request.value?.pets : search.state?.found;
	const closePanel = () => {
		if (isAdding) setIsAdding(false);
		else if (id === undefined && name !== undefined) endSearch(route);
		else replaceRoute({ ...route, id: undefined });
	};
	useListKeys(route, pets ?? [], name === undefined ? request.value : undefined, closePanel);
	const isCovered = useCovering(isAdding || id !== undefined);

	return (
		<main id="main" class="animals">
			<section class="list" aria-label="List" inert={isCovered}>
				<TitleRow {...props} />
				{!mayList ? (
					<MissingScope title="This key may not list animals" scope="pets:read" />
				) : name !== undefined ? (
					<Search search={search} route={route} totals={totals} />
				) : (
					<>
						<Content request={request} {...props} />
						{!isEmptyStore(request.value, route) && <Paging request={request} route={route} />}
					</>
				)}
			</section>
			{isAdding ? (
				<AddPanel
					session={session}
					adding={adding}
					setAdding={setAdding}
					onAdded={request.reload}
					onClose={closePanel}
				/>
			) : (
				id !== undefined && (
					<PetPanel session={session} route={{ ...route, id }} pets={mayList ? pets : []} onClose={closePanel} />
				)
			)}
		</main>
	);
}

/** Reloads after an edit, and a page without a next one also after a create. */
function useNewAnimals(
	{ value, reload }: RequestState<PetPage | undefined>,
	total: number | undefined,
	edits: number | undefined,
): void {
	const shown = useRef({ total, edits });
	useEffect(() => {
		const before = shown.current;
		if (total === undefined || (total === before.total && edits === before.edits)) return;
		shown.current = { total, edits };
		if (before.total === undefined || !value) return;
		if (edits !== before.edits || !value.next) reload();
	}, [total, edits]);
}

function useListKeys(route: AnimalsRoute, pets: Pet[], page: PetPage | undefined, closePanel: () => void): void {
	function move(by: number): void {
		const at = pets.findIndex(({ id }) => String(id) === route.id);
		const next = pets[at < 0 ? (by > 0 ? 0 : pets.length - 1) : at + by];
		if (!next) return;
		replaceRoute({ ...route, id: String(next.id) });
		document
			.querySelector(`a[href="${hashOf({ ...route, id: String(next.id) })}"]`)
			?.scrollIntoView({ block: "nearest" });
	}
	const turn = (cursor: string | undefined, isPossible: boolean) => () => {
		if (isPossible) go({ ...route, cursor, id: undefined });
	};
	useShortcuts({
		j: () => move(1),
		k: () => move(-1),
		Escape: closePanel,
		"]": turn(page?.next, page?.next !== undefined),
		"[": turn(page?.prev, page?.prev !== undefined),
		"}": turn(page?.last, page?.last !== undefined),
		"{": turn(undefined, route.cursor !== undefined),
	});
}

/** Whether the panel covers the list, as on a narrow screen. Then it takes the focus. */
function useCovering(isOpen: boolean): boolean {
	const isCovered = isOpen && matchMedia("(max-width: 900px)").matches;
	useLayoutEffect(() => {
		if (isCovered) document.querySelector<HTMLElement>(".panel .close")?.focus();
	}, [isCovered]);
	return isCovered;
}

function TitleRow({ session, route, totals, setIsAdding }: AnimalsProps) {
	const mayAdd = may(session, "pets:write");
	return (
		<div class="title">
			<Heading>Animals</Heading>
			<p class="total num">{totals && digits.format(totalOf(totals))}</p>
			{Object.entries(filterViews).map(([field, View]) => (
				<View key={field} route={route} totals={totals} />
			))}
			<div class="actions">
				{may(session, "pets:read") && (
					<ExportMenu session={session} subject={{ ...filterOf(route), name: route.name }} />
				)}
				{mayAdd ? (
					<>
						<a class="button" href="#/add-many">
							Add many
						</a>
						<button type="button" class="primary" onClick={() => setIsAdding(true)}>
							Add animal
						</button>
					</>
				) : (
					<p class="soft">Read-only key</p>
				)}
			</div>
		</div>
	);
}

interface FilterProps {
	route: AnimalsRoute;
	totals: Totals | undefined;
}

/** A change of the filter returns to the first page. */
function StatusChips({ route, totals }: FilterProps) {
	const chip = (status: AnimalsRoute["status"], label: string, count: number | undefined) => (
		<button
			key={label}
			type="button"
			class="chip"
			aria-pressed={route.status === status}
			onClick={() => go({ ...route, status, cursor: undefined, id: undefined })}
		>
			{label}
			{count !== undefined && <b class="num">{digits.format(count)}</b>}
		</button>
	);
	return (
		<fieldset class="chips" aria-label="Filter by status">
			{chip(undefined, "All", undefined)}
			{petStatuses.map((status) => chip(status, capitalized(status), totals?.[status]))}
			{totals !== undefined && totals.none > 0 && <span class="soft num">{digits.format(totals.none)} not set</span>}
			{totals !== undefined && !totals.isComplete && <span class="soft">still counting …</span>}
		</fieldset>
	);
}

/** Each filter has its view. */
const filterViews: Record<keyof Filter, (props: FilterProps) => JSX.Element> = { status: StatusChips };

function capitalized(word: string): string {
	return word.charAt(0).toUpperCase() + word.slice(1);
}

function Content({ request, ...props }: AnimalsProps & { request: RequestState<PetPage | undefined> }) {
	const { value, loadedAtMs, failure, retryAtMs, isPending, reload } = request;
	const { session, route, adding, setIsAdding } = props;
	const isFinal = failure !== undefined && retryAtMs === undefined;
	if (isFinal && route.cursor !== undefined) {
		const restart = () => go({ ...route, cursor: undefined });
		return (
			<FailureNote title="This page cannot be shown" failure={failure} onRetry={restart} retryLabel="First page" />
		);
	}
	if (isFinal) return <FailureNote title="The list cannot be shown" failure={failure} onRetry={reload} />;
	return (
		<>
			{failure !== undefined && (
				<Banner failure={failure} retryAtMs={retryAtMs} shownSinceMs={loadedAtMs} shown="These rows" onRetry={reload} />
			)}
			{value === undefined ? (
				<SkeletonTable rows={route.limit} />
			) : isEmptyStore(value, route) ? (
				<EmptyStore mayAdd={may(session, "pets:write")} onAdd={() => setIsAdding(true)} />
			) : value.pets.length === 0 ? (
				<p class="empty">
					{route.cursor ? "There are no animals on this page." : `No animal has ${describeFilter(route)}.`}
				</p>
			) : (
				<PetTable pets={value.pets} route={route} newest={adding.added} isPending={isPending} />
			)}
		</>
	);
}

function isEmptyStore(page: PetPage | undefined, route: AnimalsRoute): boolean {
	return page?.pets.length === 0 && describeFilter(route) === "" && route.cursor === undefined;
}

/** The buttons use `aria-disabled`: a `disabled` button would lose the focus of a keyboard user. */
function Paging({ request, route }: { request: RequestState<PetPage | undefined>; route: AnimalsRoute }) {
	const { value, isPending, reload } = request;
	const links = isPending ? undefined : value;
	const button = (label: string, isEnabled: boolean, cursor: string | undefined, look = "") => (
		<button
			type="button"
			class={look}
			aria-disabled={!isEnabled}
			onClick={() => isEnabled && go({ ...route, cursor, id: undefined })}
		>
			{label}
		</button>
	);
	return (
		<nav class="paging" aria-label="Pages">
			<p role="status" class="soft num">
				{value && countOf(value)}
			</p>
			<Waiting isPending={isPending} />
			<label class="soft wide-only">
				Per page{" "}
				<select
					value={String(route.limit)}
					onChange={({ currentTarget: { value: size } }) =>
						go({ ...route, limit: Number(size), cursor: undefined, id: undefined })
					}
				>
					{pageSizes.map((size) => (
						<option key={size}>{size}</option>
					))}
				</select>
			</label>
			<button type="button" class="quiet wide-only" onClick={reload}>
				Refresh
			</button>
			<div class="pages">
				{button("First", Boolean(route.cursor), undefined, "quiet")}
				{button("Previous", Boolean(links?.prev), links?.prev)}
				{button("Next", Boolean(links?.next), links?.next)}
				{button("Newest", Boolean(links?.last) && links?.last !== route.cursor, links?.last, "quiet")}
			</div>
		</nav>
	);
}

function countOf({ pets, next }: PetPage): string {
	const [first, last] = [pets[0], pets.at(-1)];
	if (!first || !last) return "No animals on this page";
	const animals = pets.length === 1 ? "1 animal" : `${pets.length} animals`;
	const ids = pets.length === 1 ? `id ${first.id}` : `ids ${first.id} to ${last.id}`;
	return `${animals}, ${ids} · ${next ? "more follow" : "the newest"}`;
}
