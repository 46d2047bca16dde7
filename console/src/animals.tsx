// The Animals view: one page of the list or the results of a search, with an animal or the form beside it.

import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Filter } from "../../client/src/contract.ts";
import type { Totals } from "../../src/contract/console.ts";
import type { Pet } from "../../src/contract/pet.ts";
import type { Adding } from "./add-form.ts";
import { capitalized } from "./edits.ts";
import { EmptyStore } from "./empty-store.tsx";
import { ExportMenu } from "./export-menu.tsx";
import { IdlePanel } from "./idle-panel.tsx";
import { LazyPart } from "./lazy-view.tsx";
import { Banner, countOf, digits, FailureNote, Heading, MissingScope, Waiting } from "./notes.tsx";
import { PetTable, SkeletonTable } from "./pet-table.tsx";
import {
	type AnimalsRoute,
	coversList,
	describeFilter,
	filterOf,
	go,
	pageSizes,
	petStatuses,
	showPet,
} from "./route.ts";
import { focusRow } from "./row-focus.ts";
import { endSearch } from "./search-return.ts";
import { Search } from "./search-view.tsx";
import { SelectionBar } from "./selection-bar.tsx";
import { may, type PetPage, type Session } from "./session.ts";
import { type Desk, useDesk } from "./use-desk.ts";
import { useListKeys } from "./use-list-keys.ts";
import { type RequestState, useRequest } from "./use-request.ts";
import { useSearch } from "./use-search.ts";
import { totalOf } from "./use-watch.ts";

export interface AnimalsProps {
	session: Session;
	route: AnimalsRoute;
	totals: Totals | undefined;
	/** The number of edits so far. */
	edits: number | undefined;
	/** Whether the server did not answer when they were last read. */
	isAway: boolean;
	/** Reads the totals and the number of edits now. */
	readTotals(): void;
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
	useNewAnimals(request, totals && totalOf(totals), props.edits, props.isAway);
	const read = name === undefined ? request.value?.pets : search.state?.found;
	const refresh = () => {
		request.reload();
		props.readTotals();
	};
	const reply = name === undefined ? request.value : search.state?.found[0];
	const desk = useDesk(session, { route, read, reply, onSettled: refresh });
	const pets = desk ? desk.pets : read;
	const close = useReturnedFocus(id);
	const closePanel = () => {
		if (isAdding) return setIsAdding(false);
		close();
		if (id === undefined && name !== undefined) endSearch(route);
		else showPet(route, undefined);
	};
	const page = name === undefined ? request.value : undefined;
	const move = useListKeys({ route, pets: pets ?? [], page, desk, reload: request.reload, closePanel });
	const isCovered = useCovering(isAdding || id !== undefined);
	const [isInUse, setIsInUse] = useState(false);
	const use = () => setIsInUse(true);

	return (
		<main id="main" class="animals" onPointerMove={use} onKeyDown={use}>
			<section class="list" aria-label="List" inert={isCovered}>
				<TitleRow {...props} desk={desk} />
				{!mayList ? (
					<MissingScope title="This key may not list animals" scope="pets:read" />
				) : name !== undefined ? (
					<Search search={search} pets={pets ?? []} route={route} totals={totals} desk={desk} />
				) : (
					<>
						<Content request={request} {...props} pets={pets} desk={desk} />
						{!isEmptyStore(request.value, route) && <Paging request={request} route={route} />}
					</>
				)}
			</section>
			{isAdding ? (
				<LazyPart
					key="add"
					load={loadAddPanel}
					props={{ session, adding, setAdding, onAdded: refresh, onClose: closePanel }}
				/>
			) : id !== undefined ? (
				<LazyPart
					key="pet"
					load={loadPanel}
					props={{ session, route: { ...route, id }, pets: mayList ? pets : [], desk, move, onClose: closePanel }}
				/>
			) : (
				<IdlePanel session={session} />
			)}
			{desk && (isInUse || desk.isBusy) && <LazyPart load={loadDeskParts} props={{ desk }} />}
		</main>
	);
}

const loadAddPanel = () => import("./add-panel.tsx").then(({ AddPanel }) => AddPanel);
const loadPanel = () => import("./pet-panel.tsx").then(({ PetPanel }) => PetPanel);
const loadDeskParts = () => import("./desk-parts.tsx").then(({ DeskParts }) => DeskParts);

/**
 * Reloads after an edit, and a page without a next one also after a create. Reloads when the server is away, too: the
 * list says so then, and of when its rows are.
 */
function useNewAnimals(
	{ value, reload }: RequestState<PetPage | undefined>,
	total: number | undefined,
	edits: number | undefined,
	isAway: boolean,
): void {
	useEffect(() => {
		if (isAway) reload();
	}, [isAway]);
	const shown = useRef({ total, edits });
	useEffect(() => {
		const before = shown.current;
		if (total === undefined || (total === before.total && edits === before.edits)) return;
		shown.current = { total, edits };
		if (before.total === undefined || !value) return;
		if (edits !== before.edits || !value.next) reload();
	}, [total, edits]);
}

/**
 * Gives the focus to the row of an animal whose panel was closed.
 * @returns to be called before that; the Back button closes it without
 */
function useReturnedFocus(id: string | undefined): () => void {
	const isClosing = useRef(false);
	const before = useRef(id);
	useLayoutEffect(() => {
		const isFocusLost = document.activeElement === document.body;
		if (id === undefined && (isClosing.current || isFocusLost)) focusRow(before.current);
		isClosing.current = false;
		before.current = id;
	}, [id]);
	return () => {
		isClosing.current = true;
	};
}

/** Whether the panel covers the list, as on a narrow screen. Then it takes the focus. */
function useCovering(isOpen: boolean): boolean {
	const isCovered = isOpen && coversList();
	useLayoutEffect(() => {
		if (isCovered) document.querySelector<HTMLElement>(".panel .close")?.focus();
	}, [isCovered]);
	return isCovered;
}

function TitleRow({ session, route, totals, setIsAdding, desk }: AnimalsProps & { desk: Desk | undefined }) {
	const mayAdd = may(session, "pets:write");
	const isPicking = desk?.selection.isShown === true;
	return (
		<div class="title">
			<Heading>Animals</Heading>
			<p class="total num">{totals && digits.format(totalOf(totals))}</p>
			<div class="tools" inert={isPicking}>
				{Object.entries(filterViews).map(([field, View]) => (
					<View key={field} route={route} totals={totals} />
				))}
				<div class="actions">
					{may(session, "pets:read") && (
						<ExportMenu session={session} subject={{ ...filterOf(route), name: route.name }} isCovered={isPicking} />
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
						!desk && <p class="soft">Read-only key</p>
					)}
					{desk && (
						<button type="button" class="quiet narrow-only" onClick={desk.selection.show}>
							Select
						</button>
					)}
				</div>
			</div>
			{isPicking && <SelectionBar session={session} desk={desk} />}
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

interface ContentProps extends AnimalsProps {
	request: RequestState<PetPage | undefined>;
	/** The animals of the page as they are after edits. */
	pets: Pet[] | undefined;
	desk: Desk | undefined;
}

function Content({ request, pets = [], desk, ...props }: ContentProps) {
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
			) : pets.length === 0 ? (
				<p class="empty">
					{route.cursor ? "There are no animals on this page." : `No animal has ${describeFilter(route)}.`}
				</p>
			) : (
				<PetTable pets={pets} route={route} desk={desk} newest={adding.added} isPending={isPending} />
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
				{value && describePage(value)}
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

function describePage({ pets, next }: PetPage): string {
	const [first, last] = [pets[0], pets.at(-1)];
	if (!first || !last) return "No animals on this page";
	const ids = pets.length === 1 ? `id ${first.id}` : `ids ${first.id} to ${last.id}`;
	return `${countOf(pets.length)}, ${ids} · ${next ? "more follow" : "the newest"}`;
}
