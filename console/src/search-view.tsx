// The results of a search by name, as they come, and how far the service has looked.

import type { Totals } from "../../src/contract/console.ts";
import type { Pet } from "../../src/contract/pet.ts";
import { countOf, digits, FailureNote } from "./notes.tsx";
import { PetTable } from "./pet-table.tsx";
import { type AnimalsRoute, describeFilter } from "./route.ts";
import type { SearchState } from "./search.ts";
import { endSearch } from "./search-return.ts";
import { useCommands } from "./shortcuts.ts";
import type { Desk } from "./use-desk.ts";
import type { RunningSearch } from "./use-search.ts";
import { totalOf } from "./use-watch.ts";

interface SearchProps {
	/** The animals that were found, as they are after edits. */
	pets: Pet[];
	desk: Desk | undefined;
	search: RunningSearch;
	route: AnimalsRoute;
	totals: Totals | undefined;
}

export function Search({ pets, desk, search: { state, stop, goOn, restart }, route, totals }: SearchProps) {
	const isComplete = state?.end === "complete";
	const buttons = { running: ["Stop", stop], complete: ["Search again", restart] } as const;
	const [label, act] = buttons[state?.end as keyof typeof buttons] ?? ["Go on", goOn];
	useCommands(() => [
		{ label: `${label}: “${route.name}”`, run: act },
		{ label: "Back to the list", run: () => endSearch(route) },
	]);
	if (!state) return null;
	const counted = totals && (route.status ? totals[route.status] : totalOf(totals));
	const total = counted === undefined ? undefined : Math.max(counted, state.searched);
	const words = describeFilter(route);
	return (
		<>
			<div class="progress-line">
				<p role="status">{sentenceOf(state, route.name ?? "")}</p>
				<p class="soft num">
					{isComplete ? `searched all ${digits.format(state.searched)}` : `searched ${digits.format(state.searched)}`}
					{!isComplete && total !== undefined && ` of ${digits.format(total)}`}
				</p>
				<button type="button" onClick={act}>
					{label}
				</button>
				<button type="button" class="quiet" onClick={() => endSearch(route)}>
					Back to the list
				</button>
				<progress
					max={isComplete ? 1 : Math.max(total ?? 0, 1)}
					value={isComplete ? 1 : state.searched}
					aria-label="Searched"
				/>
			</div>
			{state.end === "failed" && (
				<FailureNote title="The search is not complete" failure={state.failure} onRetry={goOn} />
			)}
			{pets.length > 0 ? (
				<PetTable pets={pets} route={route} desk={desk} newest={undefined} isPending={false} />
			) : (
				isComplete && (
					<p class="empty">
						No name {words && `of an animal with ${words} `}contains “{route.name}”.
					</p>
				)
			)}
		</>
	);
}

function sentenceOf({ found, end }: SearchState, name: string): string {
	if (end === "running" && found.length === 0) return `Searching for “${name}” …`;
	if (end === "complete" && found.length === 0) return "Nothing was found.";
	const animals = `${countOf(found.length)} with “${name}” in the name`;
	if (end === "stopped") return `Stopped: ${animals} so far.`;
	return end === "complete" ? `${animals}.` : `${animals} so far …`;
}
