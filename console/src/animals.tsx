// The Animals view: a page of the list or of search results, next to the open animal or the form.

import { useContext, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Totals } from "../../src/contract/console.ts";
import type { Pet } from "../../src/contract/pet.ts";
import type { Adding } from "./add-form.ts";
import { CategoriesContext } from "./categories.ts";
import { moment } from "./edits.ts";
import { EmptyStore } from "./empty-store.tsx";
import { LazyPart } from "./lazy-view.tsx";
import { ListTools } from "./list-tools.tsx";
import { Banner, FailureNote, MissingScope } from "./notes.tsx";
import { Paging } from "./paging.tsx";
import { PetTable, SkeletonTable } from "./pet-table.tsx";
import { type AnimalsRoute, coversList, describeShown, go, hashOf, showPet } from "./route.ts";
import { endSearch, focusReturned, focusRow } from "./row-focus.ts";
import { may, type Session } from "./session.ts";
import { type Desk, useDesk } from "./use-desk.ts";
import { type ListPage, type ListRequest, useList } from "./use-list.ts";
import { useListKeys } from "./use-list-keys.ts";
import { totalOf } from "./use-watch.ts";

export interface AnimalsProps {
	session: Session;
	route: AnimalsRoute;
	totals: Totals | undefined;
	edits: number | undefined;
	/** Whether the server did not answer the last read of the totals. */
	isAway: boolean;
	readTotals(): void;
	adding: Adding;
	setAdding(next: Adding | ((before: Adding) => Adding)): void;
	isAdding: boolean;
	setIsAdding(isAdding: boolean): void;
}

export function Animals(props: AnimalsProps) {
	const { session, route, totals, edits, adding, setAdding, isAdding, setIsAdding } = props;
	const { id, name } = route;
	const mayList = may(session, "pets:read");
	const categories = useContext(CategoriesContext);
	const request = useList(session, route);
	const page = request.value;
	const refresh = () => {
		request.reload();
		props.readTotals();
		categories.reload();
	};
	useNewAnimals(request, categories.reload, totals && totalOf(totals), edits, props.isAway);
	const desk = useDesk(session, { route, read: page?.pets, reply: page, categories, onSettled: refresh });
	const pets = desk ? desk.pets : page?.pets;
	const close = useReturnedFocus(id);
	useLayoutEffect(() => {
		if (page?.of.name === undefined) focusReturned();
	}, [page]);
	const closePanel = () => {
		if (isAdding) return setIsAdding(false);
		close();
		if (id === undefined && name !== undefined) endSearch(route);
		else showPet(route, undefined);
	};
	const move = useListKeys({ route, pets: pets ?? [], page, desk, reload: request.reload, closePanel });
	const isCovered = useCovering(isAdding || id !== undefined);
	const [isInUse, setIsInUse] = useState(false);
	const use = () => setIsInUse(true);

	return (
		<main id="main" class="animals" onPointerMove={use} onKeyDown={use}>
			<section class="list" aria-label="List" inert={isCovered}>
				<ListTools {...{ session, route, totals, desk, setIsAdding }} />
				{mayList ? (
					<>
						<Content request={request} {...props} pets={pets} desk={desk} />
						{!isEmptyStore(page) && <Paging request={request} route={route} />}
					</>
				) : (
					<MissingScope title="This key may not list animals" scope="pets:read" />
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
				<aside class="idle" aria-label="Overview">
					{page && !isEmptyStore(page) && (
						<LazyPart load={loadIdlePanel} props={{ session, route, totals, edits, replies: desk?.editing.replies }} />
					)}
				</aside>
			)}
			{desk && (isInUse || desk.isBusy) && <LazyPart load={loadDeskParts} props={{ desk }} />}
		</main>
	);
}

const loadAddPanel = () => import("./add-panel.tsx").then(({ AddPanel }) => AddPanel);
const loadPanel = () => import("./pet-panel.tsx").then(({ PetPanel }) => PetPanel);
const loadIdlePanel = () => import("./idle-panel.tsx").then(({ IdlePanel }) => IdlePanel);
const loadDeskParts = () => import("./menus.ts").then(({ DeskParts }) => DeskParts);

/**
 * Reloads the list after an edit and, on the last page, after a create. Also reloads when the server does not answer,
 * so that the list reports this and shows the time of its rows.
 */
function useNewAnimals(
	{ value, reload }: ListRequest,
	reloadCategories: () => void,
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
		reloadCategories();
		if (edits !== before.edits || !value.next) reload();
	}, [total, edits]);
}

/**
 * Gives the focus to the row of an animal when its panel closes.
 * @returns a function to call before closing the panel; the Back button closes the panel without this call
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

/** Whether the panel covers the list, as on a narrow screen. A panel that covers the list takes the focus. */
function useCovering(isOpen: boolean): boolean {
	const isCovered = isOpen && coversList();
	useLayoutEffect(() => {
		if (isCovered) document.querySelector<HTMLElement>(".panel .close")?.focus();
	}, [isCovered]);
	return isCovered;
}

interface ContentProps extends AnimalsProps {
	request: ListRequest;
	/** The animals of the page, with edits applied. */
	pets: Pet[] | undefined;
	desk: Desk | undefined;
}

function Content({ request, pets = [], desk, ...props }: ContentProps) {
	const { value, loadedAtMs, failure, retryAtMs, isPending, reload } = request;
	const { session, route, adding, setIsAdding } = props;
	const { labelOf } = useContext(CategoriesContext);
	const rows = useRef<HTMLDivElement>(null);
	const page = value && hashOf({ ...value.of, id: undefined });
	useLayoutEffect(() => rows.current?.scrollTo(0, 0), [page]);
	const isFinal = failure !== undefined && retryAtMs === undefined;
	const shown = value ? describeShown(value.of, labelOf) : "";
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
			) : isEmptyStore(value) ? (
				<EmptyStore mayAdd={may(session, "pets:write")} onAdd={() => setIsAdding(true)} />
			) : pets.length === 0 ? (
				<p class="empty">
					{shown === "" || route.cursor ? "There are no animals on this page." : `No animal has ${shown}.`}
				</p>
			) : (
				<div class="frame">
					<p class="on-paper">
						Animals. {shown && `Filter: ${shown}. `}Read on {moment.format(loadedAtMs)}.
					</p>
					<div class="rows" ref={rows}>
						<PetTable pets={pets} route={route} desk={desk} newest={adding.added} isPending={isPending} />
					</div>
				</div>
			)}
		</>
	);
}

function isEmptyStore(page: ListPage | undefined): boolean {
	return page?.pets.length === 0 && describeShown(page.of, String) === "" && page.of.cursor === undefined;
}
