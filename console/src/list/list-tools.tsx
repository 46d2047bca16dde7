// The row above the list: the title, the filters with their totals, and the actions.

import type { JSX } from "preact";
import { useContext, useState } from "preact/hooks";
import type { Filter } from "../../../client/src/contract.ts";
import { parseExact } from "../../../client/src/int64.ts";
import type { Totals } from "../../../src/contract/console.ts";
import type { Pet } from "../../../src/contract/pet.ts";
import { CategoriesContext } from "../categories/categories.ts";
import type { Editor } from "../edit/use-editor.ts";
import { Button, Opener } from "../parts/button.tsx";
import { ActiveChip, Cross, focusBefore } from "../parts/chip.tsx";
import { LazyPart, lazy } from "../parts/lazy-view.tsx";
import { Heading } from "../parts/notes.tsx";
import { type AnimalsRoute, hashOf, petStatuses, showFirst, shownTexts, sortOf } from "../parts/route.ts";
import { capitalized, digits } from "../parts/sentences.ts";
import { type Command, useCommands } from "../parts/shortcuts.ts";
import { may, type Session } from "../session/session.ts";
import { totalOf } from "../session/use-watch.ts";
import { ExportMenu } from "./export-menu.tsx";
import { sortings } from "./pet-table.tsx";
import type { ListPage } from "./use-list.ts";

const lazyCategoryMenu = lazy(() => import("../categories/category-menu.tsx").then(({ CategoryMenu }) => CategoryMenu));
const lazySelectionBar = lazy(() => import("../edit/selection-bar.tsx").then(({ SelectionBar }) => SelectionBar));

interface ListToolsProps extends FilterProps {
	session: Session;
	page: ListPage | undefined;
	editor: Editor | undefined;
	setIsAdding(isAdding: boolean): void;
}

export function ListTools({ session, route, page, totals, setIsAdding, editor }: ListToolsProps) {
	useCommands(() => (may(session, "pets:read") ? filterCommands(route) : []));
	const mayAdd = may(session, "pets:write");
	const { selection } = editor ?? {};
	return (
		<div class="title">
			<Heading>Animals</Heading>
			<div class="tools" inert={selection?.isShown}>
				<div class="line chips">
					{Object.entries(filterViews).map(([field, View]) => (
						<View key={field} route={route} totals={totals} />
					))}
					{may(session, "pets:read") && <CategoryChip route={route} />}
					{route.sort !== undefined && (
						<ActiveChip
							class="sort-chip"
							label={capitalized(sortings[sortOf(route)])}
							meaning={`Sorted ${sortings[sortOf(route)]}: show the newest first`}
							onRemove={() => showFirst(route, { sort: undefined })}
						/>
					)}
				</div>
				<div class="line wraps actions">
					{may(session, "pets:read") && <ExportMenu session={session} subject={route} />}
					{mayAdd ? (
						<>
							<a class="button" href="#/add-many">
								Add many
							</a>
							<Button class="primary" label="Add animal" onClick={() => setIsAdding(true)} />
						</>
					) : (
						!editor && <p class="soft">Read-only key</p>
					)}
					{editor && <Button class="quiet narrow-only" label="Select" onClick={editor.selection.show} />}
				</div>
			</div>
			{editor && selection?.isShown && (
				<LazyPart
					part={lazySelectionBar}
					props={{
						editor,
						matching:
							page && hashOf({ ...page.of, id: route.id }) === hashOf(route)
								? matchingOf(session, page, totals)
								: undefined,
						children: (selection.isWhole || selection.pets.length <= exportedMax) && (
							<ExportMenu
								session={session}
								subject={selection.pets.length <= exportedMax ? { ids: selection.pets.map(({ id }) => id) } : route}
							/>
						),
					}}
				/>
			)}
		</div>
	);
}

function filterCommands(route: AnimalsRoute): Command[] {
	const show = (label: string, status: AnimalsRoute["status"], without?: "status") =>
		route.status === status && route.without === without
			? []
			: [{ label, run: () => showFirst(route, { status, without }) }];
	return [
		...petStatuses.flatMap((status) => show(`Show ${status} animals`, status)),
		...show("Show animals without a status", undefined, "status"),
		...show("Show animals of any status", undefined),
	];
}

/** The most animals that are selected at once. */
const selectedMax = 10_000;
/** The most animals that an export can name one by one. */
const exportedMax = 1000;

/** All animals of the filter or the search, if there are more than on this page, and few enough to be selected. */
function matchingOf({ fetchFile }: Session, { of: route, found, pets }: ListPage, totals: Totals | undefined) {
	const counted = totals && (route.status ? totals[route.status] : totalOf(totals));
	const count = found ? found.total : counted;
	if (count === undefined || found?.isMore || count <= pets.length || count > selectedMax) return undefined;
	const load = async () => {
		const { content } = await fetchFile("/console/exports", JSON.stringify({ format: "json", ...shownTexts(route) }));
		return (parseExact(await content.text(), "bigint") as Pet[]).slice(0, selectedMax);
	};
	return { count, load };
}

interface FilterProps {
	route: AnimalsRoute;
	totals: Totals | undefined;
}

/** A short number, such as `9,999` or `25k`. */
function shortened(count: number): string {
	return count < 10_000 ? digits.format(count) : compact.format(count).replace("K", "k");
}
const compact = new Intl.NumberFormat(undefined, { notation: "compact", maximumSignificantDigits: 3 });

/** Buttons that filter by status and show the first page. Pressed again, a button shows the animals of all statuses. */
function StatusChips({ route, totals }: FilterProps) {
	const shown = route.without ?? route.status ?? "all";
	const chip = (name: string, filter: Pick<AnimalsRoute, "status" | "without">, label: string, count?: number) => (
		<Button
			key={name}
			class="chip"
			label={[label, count !== undefined && <b class="num">{shortened(count)}</b>, name === shown && remove]}
			aria-pressed={name === shown}
			title={count === undefined ? undefined : digits.format(count)}
			onClick={({ currentTarget }) => {
				// The chip may disappear: unless pressed, it is shown only if some animals have no status.
				if (name === "status" && name === shown) focusBefore(currentTarget);
				showFirst(route, { status: undefined, without: undefined, ...(name !== shown && filter) });
			}}
		/>
	);
	const remove = shown !== "all" && <Cross key="remove" />;
	return (
		<fieldset class="line" aria-label="Filter by status">
			{chip("all", {}, "All", totals && totalOf(totals))}
			{petStatuses.map((status) => chip(status, { status }, capitalized(status), totals?.[status]))}
			{(route.without || (totals && totals.none > 0)) && chip("status", { without: "status" }, "Not set", totals?.none)}
		</fieldset>
	);
}

const filterViews: Record<keyof Filter, (props: FilterProps) => JSX.Element> = { status: StatusChips };

function CategoryChip({ route }: { route: AnimalsRoute }) {
	const { labelOf } = useContext(CategoriesContext);
	const category = route.category && labelOf(route.category);
	const [anchor, setAnchor] = useState<HTMLElement>();
	const close = () => setAnchor(undefined);
	function show(id: bigint | undefined): void {
		close();
		showFirst(route, { category: id?.toString() });
	}
	return (
		<>
			<Opener
				opens="dialog"
				class="chip category-chip"
				label={<span dir="auto">{category ?? "Category"}</span>}
				aria-pressed={category !== undefined}
				aria-label={`Category: ${category ?? "all"}`}
				open={setAnchor}
			/>
			{category && <ActiveChip label="" meaning="Show all categories" onRemove={() => show(undefined)} />}
			{anchor && (
				<LazyPart
					part={lazyCategoryMenu}
					props={{
						title: "Filter by category",
						anchor,
						present: route.category ?? "",
						mayName: false,
						onChoose: show,
						onAll: category ? () => show(undefined) : undefined,
						onClose: close,
					}}
				/>
			)}
		</>
	);
}
