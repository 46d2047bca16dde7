// The page in the Animals view. It comes from the interface if the list is sorted by ascending id, and has no filter or
// is filtered by one of the three statuses. Otherwise, the page comes from the console's search.

import { useRef } from "preact/hooks";
import type { FindReply } from "../../../src/contract/console.ts";
import { type AnimalsRoute, filterOf, hashOf, isFound, shownTexts, sortOf } from "../parts/route.ts";
import { keepText, storages } from "../parts/storages.ts";
import { type RequestState, useRequest } from "../parts/use-request.ts";
import { may, type PetPage, type Session } from "../session/session.ts";
import { type FoundPage, foundPage, newWalk, type Walk } from "./found-pages.ts";

export interface ListPage extends PetPage, Partial<Pick<FoundPage, "found">> {
	/** The route of this page. It differs from the view's route while a newer request is pending. */
	of: AnimalsRoute;
}

export type ListRequest = RequestState<ListPage | undefined>;

/** The rows of the previous reply stay until the next reply arrives. */
export function useList(session: Session, route: AnimalsRoute): ListRequest {
	const walks = useRef(new Map<string, Walk>([keptWalk()]));
	async function load(signal: AbortSignal): Promise<ListPage | undefined> {
		if (!may(session, "pets:read")) return undefined;
		const { limit, cursor } = route;
		if (!isFound(route))
			return { ...(await session.store.listPage({ ...filterOf(route), limit, cursor }, { signal })), of: route };
		const query = new URLSearchParams({ ...shownTexts(route), sort: sortOf(route), limit: String(limit) });
		const search = String(query);
		const walk = walks.current.get(search) ?? newWalk();
		walks.current.set(search, walk);
		if (cursor) query.set("after", cursor);
		const reply = await session.ask<FindReply>(`/console/find?${query}`, { signal });
		const page = { ...foundPage(walk, limit, cursor, reply), of: route };
		keepText(0, walkName, JSON.stringify([search, walk]));
		return page;
	}
	return useRequest(load, [session, hashOf({ ...route, id: undefined })]);
}

/** The tab stores its latest search under this name until the session ends: a reload needs the position of the page. */
const walkName = "animal-store.search";

function keptWalk(): [string, Walk] {
	try {
		const [search, walk] = JSON.parse(storages()[0]?.getItem(walkName) ?? "");
		if (typeof search === "string" && Array.isArray(walk.places)) return [search, walk];
	} catch {}
	return ["", newWalk()];
}

export const forgetSearch = () => storages()[0]?.removeItem(walkName);
