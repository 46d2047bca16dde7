// The console's private endpoints for changes: edits that name the state which was seen, the history of an animal, and
// the names of categories.

import { CategoryName } from "../contract/category.ts";
import {
	type CategoriesReply,
	type CategoryChange,
	categoriesMax,
	categoryChangesMax,
	editActions,
	editsMax,
	type LatestEdit,
	replacesName,
} from "../contract/console.ts";
import { ApiError } from "../contract/errors.ts";
import { parseJson } from "../contract/json.ts";
import { type AnyPet, Pet } from "../contract/pet.ts";
import { type Static, Type } from "../contract/schema.ts";
import { checkOf } from "../contract/validate.ts";
import { type Categories, type EditResult, type NewEdit, StorageUnavailable, type Store } from "../store/store.ts";
import { readList, validOf } from "./body.ts";
import { callerOf } from "./checks.ts";
import type { Exchange } from "./exchange.ts";
import { createQueryReader } from "./pets.ts";

/** The most edits of one history. */
const historyMax = 100;
const latestMax = 5n;

const { id, name, categoryId, status } = Pet.properties;

/**
 * `name` is for `rename`, `categoryId` for `set-category`, and `status` for `set-status`, which takes the status away
 * if it is absent.
 */
const PetEdit = Type.Object(
	{
		id,
		action: Type.Enum(editActions, { description: `one of ${editActions.join(", ")}` }),
		name: Type.Optional(name),
		categoryId: Type.Optional(categoryId),
		status,
	},
	{ description: "an object with id, action and seen" },
);
const checkEdit = checkOf(PetEdit);
/** The state of the animal that the editor saw: another one is a conflict. Older consoles do not send the category. */
const Seen = Type.Object(
	{ name, categoryId: Type.Optional(categoryId), status },
	{ description: "an object with name and optionally categoryId and status" },
);
const checkSeen = checkOf(Seen);
const readHistoryQuery = createQueryReader(Type.Object({ id: Type.Optional(id) }));

/** @param eraseNames called after names were replaced */
export function createEditHandlers({ edits, getPet, version }: Store, eraseNames: () => void) {
	async function latest(): Promise<LatestEdit[]> {
		const { lastEdit } = await version();
		const records = await edits.list(lastEdit > latestMax ? lastEdit - latestMax : 0n, Number(latestMax));
		const named = records.map(async (record) => {
			const { json } = await getPet(record.petId);
			return { ...record, name: json === undefined ? undefined : (parseJson(json) as AnyPet).name };
		});
		return (await Promise.all(named)).reverse();
	}
	return {
		async edit(exchange: Exchange) {
			const list = await readList(exchange.request, "edits", `1 to ${editsMax} edits`, editsMax);
			const given = list.map((edit, index) => parseEdit(edit, `edits[${index}]`, callerOf(exchange).name));
			const results: EditResult[] = [];
			for (const edit of given) {
				try {
					results.push(await edits.apply(edit));
				} catch (error) {
					// The edits before it are stored: the reply has their results, and no more.
					const isEdited = results.some(({ outcome }) => outcome === "edited");
					if (!isEdited || !(error instanceof StorageUnavailable)) throw error;
					break;
				}
			}
			const edited = given.filter((_, index) => results[index]?.outcome === "edited");
			if (edited.some(({ action }) => replacesName(action))) eraseNames();
			return { results };
		},
		async history(exchange: Exchange) {
			const { id } = readHistoryQuery(exchange.query);
			if (id === undefined) return { edits: await latest() };
			const records = await edits.ofPet(id, historyMax);
			return { edits: records.map(({ petId: _, ...record }) => record) };
		},
	};
}

/** @throws ApiError `invalid_body` */
function parseEdit(given: { seen?: unknown } | null, place: string, editor: string): NewEdit {
	const edit = validOf(checkEdit(given), `${place}: `);
	const seen = validOf(checkSeen(given?.seen), `${place}.seen: `);
	return { ...toChange(edit, place), petId: edit.id, editor, seen };
}

function toChange({ action, name, categoryId, status }: Static<typeof PetEdit>, place: string) {
	if (action === "set-status") return { action, status };
	if (action === "remove") return { action };
	if (action === "set-category" && categoryId !== undefined) return { action, categoryId };
	if (action === "rename" && name !== undefined) return { action, name };
	const field = action === "rename" ? "name" : "categoryId";
	throw new ApiError("invalid_body", `${place}: ${field} is required for ${action}`);
}

const Change = Type.Object(
	{ id: Type.Optional(categoryId), name: Type.Optional(CategoryName) },
	{ description: "an object with id, name or both" },
);
const checkChange = checkOf(Change);
const readNoQuery = createQueryReader(Type.Object({}));

export function createCategoryHandlers(categories: Categories) {
	return {
		async list({ query }: Exchange): Promise<CategoriesReply> {
			readNoQuery(query);
			return { categories: await categories.list(categoriesMax) };
		},
		async change({ request }: Exchange) {
			const rule = `1 to ${categoryChangesMax} changes`;
			const changes = await readList(request, "categories", rule, categoryChangesMax);
			return { results: await categories.apply(changes.map(parseChange)) };
		},
	};
}

/** @throws ApiError `invalid_body` */
function parseChange(given: unknown, index: number): CategoryChange {
	const { id, name } = validOf(checkChange(given), `categories[${index}]: `);
	if (id !== undefined) return { id, ...(name !== undefined && { name }) };
	if (name !== undefined) return { name };
	throw new ApiError("invalid_body", `categories[${index}]: id or name is required`);
}
