// The current view and its parameters, stored in the URL after the #, so that links and the Back button work. The key
// is never in the URL.

import { useEffect, useState } from "preact/hooks";
import { type Filter, filterNames } from "../../client/src/contract.ts";
import { int64FromDecimal } from "../../src/contract/json.ts";
import type { PetStatus } from "../../src/contract/pet.ts";

export const petStatuses = Object.keys({
	available: true,
	pending: true,
	sold: true,
} satisfies Record<PetStatus, true>) as PetStatus[];

/** Animals on a page. */
export const pageSizes = [10, 20, 30, 50, 100];
const defaultLimit = 30;

/** Reads each filter from the URL; undefined for an invalid value. */
const readFilter: { [Field in keyof Filter]-?: (text: string | null) => Filter[Field] } = {
	status: (text) => petStatuses.find((status) => status === text),
};

export interface AnimalsRoute extends Filter {
	view: "animals";
	limit: number;
	/** The cursor of the current page; absent on the first. */
	cursor?: string | undefined;
	/** Only animals whose name contains this. */
	name?: string | undefined;
	/** The id of the animal in the panel, as digits. */
	id?: string | undefined;
}

const otherViews = ["activity", "add-many"] as const;
export type Route = AnimalsRoute | { view: (typeof otherViews)[number] } | { view: "unknown" };

export const firstAnimals: AnimalsRoute = { view: "animals", limit: defaultLimit };

/** Ignores unknown and invalid parameters. */
function routeOf(hash: string): Route {
	const [path, query] = hash.replace(/^#/, "").split("?", 2);
	const view = otherViews.find((name) => path === `/${name}`);
	if (view) return { view };
	if (path && path !== "/" && path !== "/animals") return { view: "unknown" };
	const parameters = new URLSearchParams(query);
	return {
		view: "animals",
		...Object.fromEntries(filterNames.map((field) => [field, readFilter[field](parameters.get(field))])),
		limit: pageSizes.find((size) => String(size) === parameters.get("limit")) ?? defaultLimit,
		cursor: parameters.get("cursor") || undefined,
		name: parameters.get("name")?.trim() || undefined,
		id: idOf(parameters.get("id") ?? ""),
	};
}

export function hashOf(route: Route): string {
	if (route.view !== "animals") return `#/${route.view}`;
	const { limit, cursor, name, id } = route;
	const query = new URLSearchParams({
		...filterTexts(route),
		...(limit !== defaultLimit && { limit: String(limit) }),
		...(cursor && { cursor }),
		...(name && { name }),
		...(id && { id }),
	});
	return query.size > 0 ? `#/animals?${query}` : "#/animals";
}

/** The given filters alone. */
export function filterOf(filter: Filter): Filter {
	return Object.fromEntries(
		filterNames.flatMap((field) => (filter[field] === undefined ? [] : [[field, filter[field]]])),
	);
}

export function filterTexts(filter: Filter): Record<string, string> {
	return Object.fromEntries(Object.entries(filterOf(filter)).map(([field, value]) => [field, String(value)]));
}

/** Such as “the status sold”; empty without a filter. */
export function describeFilter(filter: Filter): string {
	const words = Object.entries(filterTexts(filter)).map(([field, text]) => `the ${field} ${text}`);
	return words.join(" and ");
}

export function go(route: Route): void {
	location.hash = hashOf(route);
}

/** Whether the panel covers the list, as in a narrow window. */
export const coversList = () => matchMedia("(max-width: 900px)").matches;

/** The state of an entry of the Back button: the entry before it is the list that the animal covers. */
const overList = "over the list";

/**
 * Opens this animal, or closes the open one. Only where it covers the list does it get an entry for the Back button,
 * which would get one for each row otherwise.
 */
export function showPet(route: AnimalsRoute, id: string | undefined): void {
	const hash = hashOf({ ...route, id });
	const isOverList = history.state === overList;
	if (id !== undefined && route.id === undefined && coversList()) history.pushState(overList, "", hash);
	else history.replaceState(id === undefined ? null : history.state, "", hash);
	dispatchEvent(new HashChangeEvent("hashchange"));
	if (id === undefined && isOverList) history.back();
}

/** The digits of an id, without leading zeros; undefined if the text is not an id. */
export function idOf(text: string): string | undefined {
	const id = int64FromDecimal(text.trim());
	return id === undefined ? undefined : String(id);
}

export function useRoute(): Route {
	const [route, setRoute] = useState(() => routeOf(location.hash));
	useEffect(() => {
		const follow = () => setRoute(routeOf(location.hash));
		addEventListener("hashchange", follow);
		return () => removeEventListener("hashchange", follow);
	}, []);
	return route;
}
