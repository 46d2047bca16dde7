// Where in the console someone is. It stands in the address behind the #, so that a link opens the same and Back goes back; the
// key never does.

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
	/** Of the page; absent on the first. */
	cursor?: string | undefined;
	/** Digits of the animal that is looked up. */
	id?: string | undefined;
}

export type Route = AnimalsRoute | { view: "activity" };

export const firstAnimals: AnimalsRoute = { view: "animals", limit: defaultLimit };

/** What no link of ours says is left out: any text leads somewhere. */
export function routeOf(hash: string): Route {
	const [path, query] = hash.replace(/^#/, "").split("?", 2);
	if (path === "/activity") return { view: "activity" };
	const asked = new URLSearchParams(query);
	const id = asked.get("id") ?? "";
	return {
		view: "animals",
		status: petStatuses.find((status) => status === asked.get("status")),
		limit: pageSizes.find((size) => String(size) === asked.get("limit")) ?? defaultLimit,
		cursor: asked.get("cursor") || undefined,
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

/** Digits that a BigInt can be made of, as few as an int64 has at most. */
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
