// The page in the Animals view. It comes from the interface or, if the list is sorted or filtered by name or category,
// from the console's search.

import { useRef } from "preact/hooks";
import { type FindReply, findPageMax } from "../../src/contract/console.ts";
import { type AnimalsRoute, filterOf, hashOf, isFound, shownTexts } from "./route.ts";
import { may, type PetPage, type Session } from "./session.ts";
import { type RequestState, useRequest } from "./use-request.ts";

/** In a search, an empty `prev` leads to the first page. */
export interface ListPage extends PetPage {
	/** The route of this page. While a newer request is pending, the view's route differs. */
	of: AnimalsRoute;
	found?: Found;
}

interface Found extends Pick<FindReply, "total" | "isAbout"> {
	/** The number of animals on earlier pages; absent if the number is unknown. */
	before?: number;
}

/** The total of one search, which only the first reply has, and the positions where the pages of the search begin. */
interface Walk extends Pick<FindReply, "total" | "isAbout"> {
	places: string[];
}

export type ListRequest = RequestState<ListPage | undefined>;

/** The rows of the previous reply stay until the next reply arrives. */
export function useList(session: Session, route: AnimalsRoute): ListRequest {
	const walks = useRef(new Map<string, Walk>());
	async function load(signal: AbortSignal): Promise<ListPage | undefined> {
		if (!may(session, "pets:read")) return undefined;
		const { limit, cursor } = route;
		if (!isFound(route))
			return { ...(await session.store.listPage({ ...filterOf(route), limit, cursor }, { signal })), of: route };
		const query = new URLSearchParams(shownTexts(route));
		const walk = walks.current.get(String(query)) ?? { places: [""] };
		walks.current.set(String(query), walk);
		if (cursor) query.set("after", cursor);
		const reply = await session.ask<FindReply>(`/console/find?${query}`, { signal });
		return { ...foundPage(walk, cursor, reply), of: route };
	}
	return useRequest(load, [session, hashOf({ ...route, id: undefined })]);
}

function foundPage(walk: Walk, cursor = "", { pets, next, total, isAbout }: FindReply): Omit<ListPage, "of"> {
	const at = walk.places.indexOf(cursor);
	if (total !== undefined) Object.assign(walk, { total, isAbout });
	if (next && at >= 0) walk.places[at + 1] = next;
	const before = at < 0 ? {} : { before: at * findPageMax };
	return {
		pets,
		found: { total: walk.total, isAbout: walk.isAbout, ...before },
		...(next && { next }),
		...(at > 0 && { prev: walk.places[at - 1] }),
	} as Omit<ListPage, "of">;
}
