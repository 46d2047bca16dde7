// The Animals view: a page of the list or of search results, next to the open animal or the form.

import { useContext, useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Totals } from "../../../src/contract/console.ts";
import type { Pet } from "../../../src/contract/pet.ts";
import type { Adding } from "../add/add-form.ts";
import { CategoriesContext } from "../categories/categories.ts";
import { type Editor, useEditor } from "../edit/use-editor.ts";
import { type Edits, useSettled } from "../edit/use-edits.ts";
import { LazyPart, lazy } from "../parts/lazy-view.tsx";
import { Banner, FailureNote, MissingScope } from "../parts/notes.tsx";
import { type AnimalsRoute, coversList, describeShown, go, hashOf, showPet, sortOf } from "../parts/route.ts";
import { endSearch, focusReturned } from "../parts/row-focus.ts";
import { moment } from "../parts/sentences.ts";
import { may, type Session } from "../session/session.ts";
import { totalOf } from "../session/use-watch.ts";
import { useBackToList, useCovering, useReturnedFocus } from "./covering.ts";
import { EmptyStore } from "./empty-store.tsx";
import { ListTools } from "./list-tools.tsx";
import { Paging } from "./paging.tsx";
import { PetTable, SkeletonTable } from "./pet-table.tsx";
import { type ListPage, type ListRequest, useList } from "./use-list.ts";
import { useListKeys } from "./use-list-keys.ts";

export interface AnimalsProps {
	session: Session;
	route: AnimalsRoute;
	totals: Totals | undefined;
	/** The number of edits by all callers. */
	editCount: number | undefined;
	edits: Edits;
	/** Whether the server did not answer the last read of the totals. */
	isAway: boolean;
	readTotals(): void;
	adding: Adding;
	setAdding(next: Adding | ((before: Adding) => Adding)): void;
	isAdding: boolean;
	setIsAdding(isAdding: boolean): void;
}

export function Animals(props: AnimalsProps) {
	const { session, route, totals, editCount, edits, adding, setAdding, isAdding, setIsAdding } = props;
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
	useNewAnimals(request, categories.reload, totals && totalOf(totals), editCount, props.isAway);
	edits.shows(page);
	useEffect(() => edits.see(page?.pets ?? []), [page]);
	useSettled(edits, request.reload);
	const editor = useEditor(session, { route, read: page?.pets, edits });
	const pets = editor ? editor.pets : page?.pets;
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
	const move = useListKeys({ route, pets: pets ?? [], page, editor, reload: request.reload, closePanel });
	const isCovered = useCovering(isAdding || id !== undefined);
	useBackToList(isAdding, () => setIsAdding(false));

	return (
		<main id="main" class="animals">
			<section class="list" aria-label="List" inert={isCovered}>
				<ListTools {...{ session, route, page, totals: shownTotals(route, page, totals), editor, setIsAdding }} />
				{mayList ? (
					<>
						<Content request={request} {...props} pets={pets} editor={editor} />
						{!isEmptyStore(page) && <Paging request={request} route={route} />}
					</>
				) : (
					<MissingScope title="This key may not list animals" scope="pets:read" />
				)}
			</section>
			{isAdding ? (
				<LazyPart
					key="add"
					part={lazyAddPanel}
					props={{ session, adding, setAdding, onAdded: refresh, onClose: closePanel }}
				/>
			) : id !== undefined ? (
				<LazyPart
					key="pet"
					part={lazyPanel}
					props={{
						session,
						route: { ...route, id },
						pets: mayList ? pets : [],
						editor,
						edits,
						move,
						onClose: closePanel,
					}}
				/>
			) : (
				<aside class="idle" aria-label="Overview">
					{page && !isEmptyStore(page) && (
						<LazyPart part={lazyIdlePanel} props={{ session, route, totals, editCount, edits }} />
					)}
				</aside>
			)}
			{editor?.asked && <LazyPart part={lazyEditParts} props={{ editor }} />}
		</main>
	);
}

/** The totals by status for the status filter: those of the chosen category, or of the whole store. */
function shownTotals(route: AnimalsRoute, page: ListPage | undefined, ofStore: Totals | undefined): Totals | undefined {
	if (route.name !== undefined) return undefined;
	if (route.category === undefined) return ofStore;
	return page?.of.category === route.category ? page.found?.totals : undefined;
}

const lazyAddPanel = lazy(() => import("../add/add-panel.tsx").then(({ AddPanel }) => AddPanel));
const lazyPanel = lazy(() => import("../edit/pet-panel.tsx").then(({ PetPanel }) => PetPanel));
const lazyIdlePanel = lazy(() => import("./idle-panel.tsx").then(({ IdlePanel }) => IdlePanel));
const lazyEditParts = lazy(() => import("../edit/edit-parts.tsx").then(({ EditParts }) => EditParts));

/**
 * Reloads the list after an edit and, if it shows the newest animals, after a create. Also reloads the list when the
 * server does not answer, so that the list says so, and says from which time its rows are.
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
		const hasNewest = sortOf(value.of) === "-id" ? value.of.cursor === undefined : !value.next;
		if (edits !== before.edits || hasNewest) reload();
	}, [total, edits]);
}

interface ContentProps extends AnimalsProps {
	request: ListRequest;
	/** The animals of the page, with edits applied. */
	pets: Pet[] | undefined;
	editor: Editor | undefined;
}

function Content({ request, pets = [], editor, ...props }: ContentProps) {
	const { value, loadedAtMs, failure, retryAtMs, isPending, reload } = request;
	const { session, route, adding, setIsAdding } = props;
	const { labelOf } = useContext(CategoriesContext);
	const rows = useRef<HTMLDivElement>(null);
	const page = value && hashOf({ ...value.of, id: undefined });
	useLayoutEffect(() => {
		rows.current?.scrollTo(0, 0);
		// On a phone, the whole view scrolls, not only the rows.
		if (coversList()) scrollTo(0, 0);
	}, [page]);
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
						<PetTable pets={pets} route={route} editor={editor} newest={adding.added} isPending={isPending} />
					</div>
				</div>
			)}
		</>
	);
}

function isEmptyStore(page: ListPage | undefined): boolean {
	return page?.pets.length === 0 && describeShown(page.of, String) === "" && page.of.cursor === undefined;
}
