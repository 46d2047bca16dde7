// The row above the list: the title, the filters with their totals, and the actions.

import type { JSX } from "preact";
import { useContext, useState } from "preact/hooks";
import type { Filter } from "../../../client/src/contract.ts";
import type { Totals } from "../../../src/contract/console.ts";
import { CategoriesContext } from "../categories/categories.ts";
import type { Editor } from "../edit/use-editor.ts";
import { Button, Opener } from "../parts/button.tsx";
import { LazyPart, lazy } from "../parts/lazy-view.tsx";
import { Heading } from "../parts/notes.tsx";
import { type AnimalsRoute, petStatuses, showFirst } from "../parts/route.ts";
import { capitalized, digits } from "../parts/sentences.ts";
import { may, type Session } from "../session/session.ts";
import { totalOf } from "../session/use-watch.ts";
import { ExportMenu } from "./export-menu.tsx";

const lazyCategoryMenu = lazy(() => import("../categories/category-menu.tsx").then(({ CategoryMenu }) => CategoryMenu));
const lazySelectionBar = lazy(() => import("../edit/selection-bar.tsx").then(({ SelectionBar }) => SelectionBar));

interface ListToolsProps extends FilterProps {
	session: Session;
	editor: Editor | undefined;
	setIsAdding(isAdding: boolean): void;
}

export function ListTools({ session, route, totals, setIsAdding, editor }: ListToolsProps) {
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
						children: <ExportMenu session={session} subject={{ ids: selection.pets.map(({ id }) => id) }} />,
					}}
				/>
			)}
		</div>
	);
}

interface FilterProps {
	route: AnimalsRoute;
	totals: Totals | undefined;
}

/** A short number, such as `9,999` or `25k`. */
function shortened(count: number): string {
	return count < 10_000 ? digits.format(count) : compact.format(count).replace("K", "k");
}
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });

/** The buttons that filter by status. Each button returns to the first page. */
function StatusChips({ route, totals }: FilterProps) {
	const chip = (status: AnimalsRoute["status"], label: string, count: number | undefined) => (
		<Button
			key={label}
			class="chip"
			label={[label, count !== undefined && <b class="num">{shortened(count)}</b>]}
			aria-pressed={route.status === status}
			title={count === undefined ? undefined : digits.format(count)}
			onClick={() => showFirst(route, { status })}
		/>
	);
	return (
		<fieldset class="line" aria-label="Filter by status">
			{chip(undefined, "All", totals && totalOf(totals))}
			{petStatuses.map((status) => chip(status, capitalized(status), totals?.[status]))}
			{totals !== undefined && totals.none > 0 && <span class="soft num">{shortened(totals.none)} not set</span>}
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
