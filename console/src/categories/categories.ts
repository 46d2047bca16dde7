// The categories that a session knows, with their names. They are read together with the first list, and again after
// edits. A category without a name is shown as its number.

import { createContext } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ApiError } from "../../../client/src/index.ts";
import type { CategoriesReply, Category, CategoryResult } from "../../../src/contract/console.ts";
import { useRequest } from "../parts/use-request.ts";
import { may, type Session } from "../session/session.ts";

type Id = bigint | number | string;

export interface Categories {
	/** Categories with names come first, sorted by name; categories without names follow, sorted by id. */
	all: readonly Category[];
	/** True once the categories are read. If this key or service cannot list them, `all` is empty. */
	isRead: boolean;
	/** The reason why the categories could not be read. */
	failure: unknown;
	nameOf(id: Id): string | undefined;
	/** The name of a category, or its number if it has no name. */
	labelOf(id: Id): string;
	reload(): void;
	/**
	 * Sets or removes the name of a category.
	 * @param id if absent, the id of the category that has this name; if there is none, the next free number
	 * @throws ApiError, NoReply
	 */
	name(name: string | undefined, id?: bigint): Promise<CategoryResult>;
}

/** Only regular reads find names that were given in other windows, because naming a category edits no animal. */
const everyMs = 30_000;

const unread: readonly Category[] = [];
export const CategoriesContext = createContext<Categories>({
	...labelsOf(unread),
	isRead: false,
	failure: undefined,
	reload() {},
	name: () => Promise.reject(new Error("there is no session")),
});

export function useCategories(session: Session): Categories {
	const { value, failure, reload } = useRequest((signal) => readCategories(session, signal), [session]);
	useEffect(() => {
		const refresh = () => document.visibilityState === "visible" && reload();
		const timer = setInterval(refresh, everyMs);
		addEventListener("focus", refresh);
		return () => {
			clearInterval(timer);
			removeEventListener("focus", refresh);
		};
	}, [session]);
	const read = value ?? unread;
	/** The categories as last read: another read may end while a name is being sent. */
	const latest = useRef(read);
	latest.current = read;
	/** The categories named since the last read. */
	const [named, setNamed] = useState({ since: read, results: [] as CategoryResult[] });
	const results = named.since === read ? named.results : [];
	const labels = useMemo(() => labelsOf(results.reduce(withName, read)), [read, named]);
	return {
		...labels,
		isRead: value !== undefined,
		failure,
		reload,
		async name(name, id) {
			const result = await sendName(session, name, id);
			setNamed(({ since, results }) => ({
				since: latest.current,
				results: [...(since === latest.current ? results : []), result],
			}));
			reload();
			return result;
		},
	};
}

/** @returns a new array; empty if this key or service cannot list categories, or if a proxy blocks the request */
async function readCategories(session: Session, signal: AbortSignal): Promise<readonly Category[]> {
	if (!may(session, "pets:read")) return [];
	try {
		return (await session.ask<CategoriesReply>("/console/categories", { signal })).categories;
	} catch (failure) {
		if (failure instanceof ApiError && [403, 404].includes(failure.status)) return [];
		throw failure;
	}
}

function labelsOf(known: readonly Category[]): Pick<Categories, "all" | "nameOf" | "labelOf"> {
	const names = new Map(known.map(({ id, name }) => [String(id), name]));
	const nameOf = (id: Id) => names.get(String(id));
	const { compare } = new Intl.Collator(undefined, { numeric: true });
	const all = known.toSorted(({ name: one }, { name: other }) =>
		one && other ? compare(one, other) : Number(!one) - Number(!other),
	);
	return { all, nameOf, labelOf: (id) => nameOf(id) ?? String(id) };
}

function withName(known: readonly Category[], { outcome, id, name }: CategoryResult): readonly Category[] {
	if (outcome === "taken") return known;
	const { animals } = known.find((category) => category.id === id) ?? { animals: 0 };
	return [...known.filter((category) => category.id !== id), { id, animals, ...(name && { name }) }];
}

async function sendName({ ask }: Session, name: string | undefined, id?: bigint): Promise<CategoryResult> {
	// The id is written as digits, because JSON.stringify cannot write a bigint.
	const fields = [...(id === undefined ? [] : [`"id":${id}`]), ...(name ? [`"name":${JSON.stringify(name)}`] : [])];
	const body = `{"categories":[{${fields}}]}`;
	const { results } = await ask<{ results: CategoryResult[] }>("/console/categories", { body });
	return results[0] as CategoryResult;
}
