// The line below the list: which animals the page shows, and buttons to the other pages.

import { Button } from "../parts/button.tsx";
import { Waiting } from "../parts/notes.tsx";
import { type AnimalsRoute, describeName, pageSizes, showFirst } from "../parts/route.ts";
import { endSearch } from "../parts/row-focus.ts";
import { countOf, digits } from "../parts/sentences.ts";
import type { ListPage, ListRequest } from "./use-list.ts";

export function Paging({ request, route }: { request: ListRequest; route: AnimalsRoute }) {
	const { value, isPending, reload } = request;
	const links = isPending ? undefined : value;
	const button = (label: string, isReady: boolean, cursor: string | undefined, look = "") => (
		<Button class={look} label={label} isReady={isReady} onClick={() => showFirst(route, { cursor })} />
	);
	return (
		<nav class="line wraps paging" aria-label="Pages">
			<p role="status" class="soft num">
				{value && describePage(value)}
			</p>
			<Waiting isPending={isPending} />
			<label class="soft wide-only">
				Per page{" "}
				<select
					value={String(route.limit)}
					onChange={({ currentTarget: { value: size } }) => showFirst(route, { limit: Number(size) })}
				>
					{pageSizes.map((size) => (
						<option key={size}>{size}</option>
					))}
				</select>
			</label>
			<Button class="quiet wide-only" label="Refresh" onClick={reload} />
			{route.name !== undefined && <Button class="quiet" label="Back to the list" onClick={() => endSearch(route)} />}
			<div class="pages">
				{button("First", Boolean(route.cursor), undefined, "quiet")}
				{button("Previous", links?.prev !== undefined, links?.prev)}
				{button("Next", Boolean(links?.next), links?.next)}
				{!value?.found && button("Newest", Boolean(links?.last) && links?.last !== route.cursor, links?.last, "quiet")}
			</div>
		</nav>
	);
}

function describePage({ pets, next, found, of }: ListPage): string {
	const [first, last] = [pets[0], pets.at(-1)];
	if (!first || !last) return found && !of.cursor ? "Nothing was found" : "No animals on this page";
	if (found) return `${describeFound(pets.length, found, next)}${of.name ? ` with ${describeName(of.name)}` : ""}`;
	const ids = pets.length === 1 ? `id ${first.id}` : `ids ${first.id} to ${last.id}`;
	return `${countOf(pets.length)}, ${ids} · ${next ? "more follow" : "the newest"}`;
}

function describeFound(
	count: number,
	{ total, isMore, before }: NonNullable<ListPage["found"]>,
	next?: string,
): string {
	if (before === undefined || total === undefined) return countOf(count);
	if (before === 0 && !next) return countOf(count);
	// The service's total has a limit. On the last page, and beyond the limit, the total is this page's last position.
	const all = next ? Math.max(total, before + count) : before + count;
	const from = `${digits.format(before + 1)} to ${digits.format(before + count)}`;
	return `${from} of ${isMore && next ? "more than " : ""}${countOf(all)}`;
}
