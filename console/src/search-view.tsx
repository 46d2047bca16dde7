// The results of a search by name, and its progress through the list.

import type { Totals } from "../../src/contract/activity.ts";
import { countOf, digits, FailureNote } from "./notes.tsx";
import { PetTable } from "./pet-table.tsx";
import { type AnimalsRoute, describeFilter, go } from "./route.ts";
import type { SearchState } from "./search.ts";
import type { RunningSearch } from "./use-search.ts";
import { totalOf } from "./use-watch.ts";

interface SearchProps {
	search: RunningSearch;
	route: AnimalsRoute;
	totals: Totals | undefined;
}

export function Search({ search: { state, stop, restart }, route, totals }: SearchProps) {
	if (!state) return null;
	const total = totals && (route.status ? totals[route.status] : totalOf(totals));
	const words = describeFilter(route);
	const isRunning = state.end === "running";
	return (
		<>
			<div class="progress-line">
				<p role="status">{isRunning ? `Searching for “${route.name}” …` : endOf(state, route.name ?? "")}</p>
				<p class="soft num">
					searched {digits.format(state.searched)}
					{total !== undefined && ` of ${digits.format(Math.max(total, state.searched))}`}
				</p>
				<progress max={Math.max(total ?? 0, state.searched, 1)} value={state.searched} aria-label="Searched" />
				{isRunning ? (
					<button type="button" onClick={stop}>
						Stop
					</button>
				) : (
					<button type="button" onClick={restart}>
						Search again
					</button>
				)}
				<button type="button" class="quiet" onClick={() => go({ ...route, name: undefined, id: undefined })}>
					Clear
				</button>
			</div>
			{state.end === "failed" && (
				<FailureNote title="The search is not complete" failure={state.failure} onRetry={restart} />
			)}
			{state.found.length > 0 ? (
				<PetTable pets={state.found} route={route} newest={undefined} isPending={isRunning} />
			) : (
				!isRunning && (
					<p class="empty">
						No name {words && `of an animal with ${words} `}contains “{route.name}”.
					</p>
				)
			)}
		</>
	);
}

function endOf({ found, end }: SearchState, name: string): string {
	const animals = `${countOf(found.length)} with “${name}” in the name`;
	if (end === "stopped") return `Stopped: ${animals} so far.`;
	return end === "full" ? `The first ${animals}.` : `${animals}.`;
}
