// The categories that a session knows, with their names. They are read together with the first list, and again after
// edits. A category without a name is shown as its number.

import { createContext } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { CategoriesReply, Category, CategoryResult } from "../../src/contract/console.ts";
import { may, type Session } from "./session.ts";
import { useRequest } from "./use-request.ts";

type Id = bigint | number | string;

export interface Categories {
	/** Categories with names come first, sorted by name; categories without names follow, sorted by id. */
	all: readonly Category[];
	/** True once the categories are read, or if this key or service cannot list them. */
	isRead: boolean;
	/** The reason why the categories could not be read. */
	failure: unknown;
	nameOf(id: Id): string | undefined;
	/** The name of a category, or its number if it has no name. */
	labelOf(id: Id): string;
	reload(): void;
	/**
	 * Sets or removes the name of a category.
	 * @param id if absent, the category that has this name, or the next free number if none has it
	 * @throws ApiError, NoReply
	 */
	name(name: string | undefined, id?: bigint): Promise<CategoryResult>;
}

const unread: readonly Category[] = [];
export const CategoriesContext = createContext<Categories>({
	...labelsOf(unread),
	isRead: false,
	failure: undefined,
	reload() {},
	name: () => Promise.reject(new Error("there is no session")),
});

export function useCategories(session: Session): Categories {
	const { value, failure, retryAtMs, reload } = useRequest(
		async (signal) =>
			may(session, "pets:read")
				? ((await session.ask("/console/categories", { signal })) as CategoriesReply).categories
				: unread,
		[session],
	);
	const read = value ?? unread;
	const isRead = value !== undefined || (failure !== undefined && retryAtMs === undefined);
	/** The categories named since the last read. */
	const [named, setNamed] = useState({ since: read, results: [] as CategoryResult[] });
	return useMemo(() => {
		const known = named.since === read ? named.results.reduce(withName, read) : read;
		return {
			...labelsOf(known),
			isRead,
			failure,
			reload,
			async name(name, id) {
				const result = await sendName(session, name, id);
				setNamed({ since: read, results: [...named.results, result] });
				reload();
				return result;
			},
		};
	}, [read, isRead, failure, named]);
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
	const { results } = (await ask("/console/categories", { body })) as { results: CategoryResult[] };
	return results[0] as CategoryResult;
}
