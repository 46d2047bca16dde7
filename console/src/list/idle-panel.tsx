// On wide screens, this panel is shown while no animal is open: the categories with their totals, the latest changes,
// and the shortcuts.

import "./idle.css";
import { useContext, useState } from "preact/hooks";
import type { Category, Changes, Totals } from "../../../src/contract/console.ts";
import type { Scope } from "../../../src/contract/operations.ts";
import { CategoriesContext } from "../categories/categories.ts";
import { CategoryName } from "../categories/category-name.tsx";
import { ChangeText } from "../edit/change-text.tsx";
import type { Edits } from "../edit/use-edits.ts";
import { Button, Opener } from "../parts/button.tsx";
import { LazyPart, lazy } from "../parts/lazy-view.tsx";
import { type AnimalsRoute, hashOf, showFirst } from "../parts/route.ts";
import { countOf, digits, moment } from "../parts/sentences.ts";
import { useRequest } from "../parts/use-request.ts";
import { may, type Session } from "../session/session.ts";
import { totalOf } from "../session/use-watch.ts";

/** Two spaces separate alternative keys. `scope` is the scope that these keys need, if any. */
type Key = readonly [keys: string, meaning: string, scope?: Scope];

const keys: Key[] = [
	["↑  ↓", "move"],
	["Enter", "open"],
	["s  c", "set status or category", "pets:edit"],
	["x", "select", "pets:edit"],
	["Shift ↑  ↓", "select several", "pets:edit"],
	["n", "add an animal", "pets:write"],
	["?", "all commands and their keys"],
];

interface IdlePanelProps {
	session: Session;
	route: AnimalsRoute;
	totals: Totals | undefined;
	/** The number of edits by all callers. When this number changes, the latest edits are read again. */
	editCount: number | undefined;
	edits: Edits;
}

export function IdlePanel({ session, route, totals, editCount, edits }: IdlePanelProps) {
	return (
		<>
			<CategoryList mayName={may(session, "pets:edit")} route={route} totals={totals} />
			<LatestEdits {...{ session, route, edits, editCount }} />
			<KeyList session={session} />
		</>
	);
}

const lazyNameMenu = lazy(() => import("../categories/category-menu.tsx").then(({ NameMenu }) => NameMenu));
const fewCategories = 10;
const latestCount = 5;

function CategoryList({ mayName, route, totals }: { mayName: boolean } & Pick<IdlePanelProps, "route" | "totals">) {
	const { all } = useContext(CategoriesContext);
	const [isWhole, setIsWhole] = useState(false);
	const [naming, setNaming] = useState<{ category: Category; anchor: HTMLElement }>();
	const large = all.toSorted((one, other) => other.animals - one.animals).slice(0, fewCategories);
	const shown = isWhole ? all : all.filter((category) => large.includes(category));
	return (
		<section aria-labelledby="categories-heading">
			<h2 id="categories-heading">Categories</h2>
			{totals && (
				<p class="soft num">
					{countOf(totalOf(totals))} in all{totals.none > 0 && `, ${digits.format(totals.none)} without a status`}
				</p>
			)}
			<ul class="categories">
				{shown.map((category) => {
					const id = String(category.id);
					return (
						<li key={id} class="line">
							<a
								href={hashOf({ ...route, category: id, cursor: undefined })}
								aria-current={route.category === id ? "true" : undefined}
							>
								<CategoryName of={category.id} />
							</a>
							<span class="soft num">{digits.format(category.animals)}</span>
							{mayName && (
								<Opener
									opens="dialog"
									class="quiet"
									label="…"
									aria-label={`Name of category ${id}`}
									open={(anchor) => setNaming({ category, anchor })}
								/>
							)}
						</li>
					);
				})}
			</ul>
			{shown.length < all.length && (
				<Button class="quiet" label={`All ${all.length} categories`} onClick={() => setIsWhole(true)} />
			)}
			{route.category !== undefined && (
				<Button class="quiet" label="Show all animals" onClick={() => showFirst(route, { category: undefined })} />
			)}
			{naming && <LazyPart part={lazyNameMenu} props={{ ...naming, onClose: () => setNaming(undefined) }} />}
		</section>
	);
}

function LatestEdits({ session, route, edits, editCount }: Omit<IdlePanelProps, "totals">) {
	const { value } = useRequest(
		(signal) => session.ask<Changes>(`/console/changes?limit=${latestCount}`, { signal }),
		[session, editCount, edits.replies],
	);
	if (!value || value.edits.length === 0) return null;
	return (
		<section class="latest" aria-labelledby="latest-heading">
			<h2 id="latest-heading">Latest changes</h2>
			<ol>
				{value.edits.map((edit) => (
					<li key={String(edit.id)}>
						<ChangeText edit={edit} edits={edits} list={route} />
						<p class="soft num">
							{edit.editor}, {moment.format(edit.atMs)}
						</p>
					</li>
				))}
			</ol>
		</section>
	);
}

/** The shortcuts that the scopes of the session allow. */
function KeyList({ session }: { session: Session }) {
	const possible = keys.filter(([, , scope]) => scope === undefined || may(session, scope));
	return (
		<dl class="key-list">
			{possible.map(([key, meaning]) => (
				<div key={key}>
					<dt>
						{key.split("  ").map((one) => (
							<kbd key={one}>{one}</kbd>
						))}
					</dt>
					<dd>{meaning}</dd>
				</div>
			))}
		</dl>
	);
}
