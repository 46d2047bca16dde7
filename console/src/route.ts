// The current view and its parameters, stored in the URL after the #, so that links and the Back button work. The key
// is never in the URL.

import { useEffect, useState } from "preact/hooks";
import type { PetStatus } from "../../client/src/index.ts";

export const petStatuses = Object.keys({
	available: true,
	pending: true,
	sold: true,
} satisfies Record<PetStatus, true>) as PetStatus[];

/** Animals on a page. */
export const pageSizes = [10, 20, 50, 100];
const defaultLimit = 20;

export interface AnimalsRoute {
	view: "animals";
	status?: PetStatus | undefined;
	limit: number;
	/** Of the current page; absent on the first. */
	cursor?: string | undefined;
	/** Digits of the id that is looked up. */
	id?: string | undefined;
}

export type Route = AnimalsRoute | { view: "activity" };

export const firstAnimals: AnimalsRoute = { view: "animals", limit: defaultLimit };

/** Ignores unknown and invalid parameters, so that every URL opens a view. */
export function routeOf(hash: string): Route {
	const [path, query] = hash.replace(/^#/, "").split("?", 2);
	if (path === "/activity") return { view: "activity" };
	const parameters = new URLSearchParams(query);
	const id = parameters.get("id") ?? "";
	return {
		view: "animals",
		status: petStatuses.find((status) => status === parameters.get("status")),
		limit: pageSizes.find((size) => String(size) === parameters.get("limit")) ?? defaultLimit,
		cursor: parameters.get("cursor") || undefined,
		id: isInteger(id) ? id : undefined,
	};
}

export function hashOf(route: Route): string {
	if (route.view === "activity") return "#/activity";
	const { status, limit, cursor, id } = route;
	const query = new URLSearchParams({
		...(status && { status }),
		limit: String(limit),
		...(cursor && { cursor }),
		...(id && { id }),
	});
	return `#/animals?${query}`;
}

export function go(route: Route): void {
	location.hash = hashOf(route);
}

/** Whether BigInt accepts the text, with no more digits than an int64 has. */
export function isInteger(text: string): boolean {
	return /^-?\d{1,19}$/.test(text);
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
