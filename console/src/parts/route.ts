// The current view and its parameters, stored in the URL after the #, so that links and the Back button work. The key
// is never in the URL.

import { useEffect, useState } from "preact/hooks";
import { type Filter, filterNames } from "../../../client/src/contract.ts";
import { type Sort, sorts } from "../../../src/contract/console.ts";
import { int64FromDecimal } from "../../../src/contract/json.ts";
import type { PetStatus } from "../../../src/contract/pet.ts";
import { labels, shortName } from "./sentences.ts";
import { keepText, storages } from "./storages.ts";

export const petStatuses = Object.keys({
	available: true,
	pending: true,
	sold: true,
} satisfies Record<PetStatus, true>) as PetStatus[];

export const pageSizes = [10, 20, 30, 50, 100];
const defaultLimit = 30;

/** Reads each filter from the URL; undefined for an invalid value. */
const readFilter: { [Field in keyof Filter]-?: (text: string | null) => Filter[Field] } = {
	status: (text) => petStatuses.find((status) => status === text),
};

export interface AnimalsRoute extends Filter {
	view: "animals";
	limit: number;
	/** The cursor of the current page, or the `after` of a search; absent on the first page. */
	cursor?: string | undefined;
	/** Only animals whose name contains this text; a number also finds an id or a category. */
	name?: string | undefined;
	/** Only animals of the category with this id, as digits. */
	category?: string | undefined;
	/** Only animals without this field. */
	without?: "status" | undefined;
	/** If absent, the newest animals come first. */
	sort?: Exclude<Sort, "-id"> | undefined;
	/** The id of the animal in the panel, as digits. */
	id?: string | undefined;
}

/** The edits of all animals, newest first. */
export interface ChangesRoute {
	view: "changes";
	/** Only edits by this person. */
	editor?: string | undefined;
	/** Only edits that are older than the edit with this id, which is written as digits. */
	before?: string | undefined;
}

const otherViews = ["server", "add-many"] as const;
export type Route = AnimalsRoute | ChangesRoute | { view: (typeof otherViews)[number] } | { view: "unknown" };

/** The first page of the list, with the order and the page size that were last chosen in this browser. */
export function firstAnimals(): AnimalsRoute {
	const [limit, sort] = (storages()[1]?.getItem(listName) ?? "").split(" ");
	return { view: "animals", limit: limitOf(limit), sort: orderOf(sort) };
}

function keepList({ limit, sort }: AnimalsRoute): void {
	keepText(1, listName, `${limit} ${sort ?? ""}`);
}

const listName = "animal-store.list";
const limitOf = (text: string | null = "") => pageSizes.find((size) => String(size) === text) ?? defaultLimit;
const orderOf = (text: string | null = "") =>
	sorts.find((sort): sort is Exclude<Sort, "-id"> => sort !== "-id" && sort === text);

/** Ignores unknown and invalid parameters. */
function routeOf(hash: string): Route {
	const [path, query] = hash.replace(/^#/, "").split("?", 2);
	const view = otherViews.find((name) => path === `/${name}`);
	if (view) return { view };
	if (!path && !query) return firstAnimals();
	const parameters = new URLSearchParams(query);
	if (path === "/changes") {
		const editor = parameters.get("editor") || undefined;
		return { view: "changes", editor, before: idOf(parameters.get("before") ?? "") };
	}
	if (path && path !== "/" && path !== "/animals") return { view: "unknown" };
	return {
		view: "animals",
		...Object.fromEntries(filterNames.map((field) => [field, readFilter[field](parameters.get(field))])),
		limit: limitOf(parameters.get("limit")),
		cursor: parameters.get("cursor") || undefined,
		name: parameters.get("name")?.trim() || undefined,
		category: idOf(parameters.get("category") ?? ""),
		without: parameters.get("without") === "status" ? "status" : undefined,
		sort: orderOf(parameters.get("sort")),
		id: idOf(parameters.get("id") ?? ""),
	};
}

export function hashOf(route: Route): string {
	if (route.view === "changes") {
		const { editor, before } = route;
		const query = new URLSearchParams({ ...(editor && { editor }), ...(before && { before }) });
		return query.size > 0 ? `#/changes?${query}` : "#/changes";
	}
	if (route.view !== "animals") return `#/${route.view}`;
	const { limit, cursor, id } = route;
	const query = new URLSearchParams({
		...shownTexts(route),
		...(limit !== defaultLimit && { limit: String(limit) }),
		...(cursor && { cursor }),
		...(id && { id }),
	});
	return query.size > 0 ? `#/animals?${query}` : "#/animals";
}

/** Keeps only the filters of `listPets`. */
export function filterOf(filter: Filter): Filter {
	return Object.fromEntries(
		filterNames.flatMap((field) => (filter[field] === undefined ? [] : [[field, filter[field]]])),
	);
}

export function filterTexts(filter: Filter): Record<string, string> {
	return Object.fromEntries(Object.entries(filterOf(filter)).map(([field, value]) => [field, String(value)]));
}

/** The parameters that select and sort animals. */
export type Shown = Filter & Pick<AnimalsRoute, "name" | "category" | "without" | "sort">;

export function shownTexts({ name, category, without, sort, ...filter }: Shown): Record<string, string> {
	const own = Object.entries({ name, category, without, sort });
	return { ...filterTexts(filter), ...Object.fromEntries(own.flatMap(([key, text]) => (text ? [[key, text]] : []))) };
}

export const sortOf = ({ sort }: Shown): Sort => sort ?? "-id";

/** Whether the list needs the console's own search, because the interface has no such filter or order. */
export const isFound = ({ name, category, without, sort }: Shown) =>
	(name ?? category ?? without) !== undefined || sort !== "id";

/** Describes the filter, such as “the status sold and “zo” in the name”; empty without a filter. */
export function describeShown(
	{ name, category, without, ...filter }: Shown,
	labelOf: (category: string) => string,
): string {
	const texts = filterTexts(filter);
	const given = filterNames.filter((field) => texts[field] !== undefined);
	const words = given.map((field) => `the ${labels[field].toLowerCase()} ${texts[field]}`);
	if (without) words.push(`no ${without}`);
	if (category) words.push(`the category ${labelOf(category)}`);
	if (name) words.push(describeName(name));
	return words.join(" and ");
}

export const describeName = (name: string) =>
	`“${shortName(name)}” in the ${idOf(name) ? "name, id or category" : "name"}`;

export function go(route: Route): void {
	location.hash = hashOf(route);
}

/** Goes to the first page with another filter, order or size, and closes the panel. */
export function showFirst(route: AnimalsRoute, change: Partial<AnimalsRoute>): void {
	const next = { ...route, cursor: undefined, id: undefined, ...change };
	if ("sort" in change || "limit" in change) keepList(next);
	go(next);
}

/** Changes the view without a new entry for the Back button. */
export function replace(route: Route, state: unknown = history.state): void {
	history.replaceState(state, "", hashOf(route));
	dispatchEvent(new HashChangeEvent("hashchange"));
}

/** Whether the panel covers the list, as in a narrow window. */
export const coversList = () => matchMedia("(max-width: 900px)").matches;

/** Marks the history entry of an animal whose panel covers the list. The previous entry is the list. */
const overList = "over the list";
/** Marks the history entry of the form, if the form covers the list. */
export const formOverList = "the form over the list";

/**
 * Opens this animal or, without an id, closes the open animal. Adds a history entry only if the panel covers the list;
 * otherwise the Back button would step through every row.
 */
export function showPet(route: AnimalsRoute, id: string | undefined): void {
	const isOverForm = history.state === formOverList;
	// The animal takes the place of the form.
	if (isOverForm) history.replaceState(overList, "");
	const isOverList = history.state === overList;
	const isFirst = id !== undefined && route.id === undefined && coversList() && !isOverForm;
	if (isFirst) history.pushState(overList, "");
	replace({ ...route, id }, id === undefined ? null : history.state);
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
