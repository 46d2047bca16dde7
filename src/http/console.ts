// The console's private endpoints, except its searches (find.ts) and imports (imports.ts): edits and their history, and
// the names of categories.

import { CategoryName } from "../contract/category.ts";
import {
	type Activity,
	type CategoriesReply,
	type CategoryChange,
	categoriesMax,
	categoryChangesMax,
	editActions,
	editsMax,
	type KeyInfo,
	type LatestEdit,
} from "../contract/console.ts";
import { ApiError } from "../contract/errors.ts";
import { parseJson } from "../contract/json.ts";
import { type AnyPet, Pet } from "../contract/pet.ts";
import { type Static, Type } from "../contract/schema.ts";
import { checkOf } from "../contract/validate.ts";
import { CategoriesFull, type EditResult, type NewEdit, StorageUnavailable } from "../store/store.ts";
import type { RateLimits } from "./admission.ts";
import { readList, validOf } from "./body.ts";
import { callerOf } from "./checks.ts";
import type { Exchange } from "./exchange.ts";
import { createImportHandlers } from "./imports.ts";
import { createQueryReader, type PetOptions } from "./pets.ts";
import { inTurnsOf, Turns, turnLimits } from "./turns.ts";

/** The most edits in one history. */
const historyMax = 100;
const latestMax = 5n;

const { id, name, categoryId, status } = Pet.properties;
const readNoQuery = createQueryReader(Type.Object({}));
const readHistoryQuery = createQueryReader(Type.Object({ id: Type.Optional(id) }));

export interface ConsoleOptions extends Pick<PetOptions, "store"> {
	/** The figures of the console, and of its Activity view. */
	activity: () => Promise<Activity>;
}

export function createConsoleHandlers({ store, activity }: ConsoleOptions, limits: RateLimits) {
	const { edits, categories, getPet } = store;
	const write = inTurnsOf(new Turns({ ...turnLimits, tasks: "imports and edits" }));
	const look = inTurnsOf(new Turns({ ...turnLimits, tasks: "lists of categories" }));

	async function latestEdits(): Promise<LatestEdit[]> {
		const { lastEdit } = await store.version();
		const records = await edits.list(lastEdit > latestMax ? lastEdit - latestMax : 0n, Number(latestMax));
		const named = records.map(async (record) => {
			const { json } = await getPet(record.petId);
			return { ...record, name: json === undefined ? undefined : (parseJson(json) as AnyPet).name };
		});
		return (await Promise.all(named)).reverse();
	}

	/** Reads a list whose items count as requests. @throws ApiError as `readList` */
	async function readCounted(exchange: Exchange, ...list: [name: string, rule: string, max: number]) {
		return counted(exchange, await readList(exchange, ...list));
	}

	function counted<Item>(exchange: Exchange, items: Item[]): Item[] {
		const headers = limits.countItems(callerOf(exchange), items.length);
		if (headers) exchange.headers(headers);
		return items;
	}

	async function applyEdits(given: readonly NewEdit[]): Promise<{ results: EditResult[] }> {
		const results: EditResult[] = [];
		for (const edit of given) {
			try {
				results.push(await edits.apply(edit));
			} catch (error) {
				// The earlier edits are stored: the reply contains only their results.
				const isEdited = results.some(({ outcome }) => outcome === "edited");
				if (!isEdited || !(error instanceof StorageUnavailable)) throw error;
				break;
			}
		}
		return { results };
	}

	return {
		...createImportHandlers(store, { counted, write, look }),
		key(exchange: Exchange): KeyInfo {
			const { id, name, scopes, secret } = callerOf(exchange);
			return { id, name, scopes, expiresAtMs: secret.expiresAtMs };
		},
		async activity(exchange: Exchange): Promise<Activity> {
			const { minutes, ...figures } = await activity();
			return callerOf(exchange).scopes.includes("metrics:read") ? { ...figures, minutes } : figures;
		},
		async edit(exchange: Exchange) {
			const list = await readCounted(exchange, "edits", `1 to ${editsMax} edits`, editsMax);
			const given = list.map((edit, index) => parseEdit(edit, `edits[${index}]`, callerOf(exchange).name));
			return write(exchange, () => applyEdits(given));
		},
		async history({ query }: Exchange) {
			const { id } = readHistoryQuery(query);
			if (id === undefined) return { edits: await latestEdits() };
			const records = await edits.ofPet(id, historyMax);
			return { edits: records.map(({ petId: _, ...record }) => record) };
		},
		async categories(exchange: Exchange): Promise<CategoriesReply> {
			readNoQuery(exchange.query);
			return { categories: await look(exchange, () => categories.list(categoriesMax)) };
		},
		async changeCategories(exchange: Exchange) {
			const rule = `1 to ${categoryChangesMax} changes`;
			const changes = await readCounted(exchange, "categories", rule, categoryChangesMax);
			const parsed = changes.map(parseChange);
			return { results: await write(exchange, () => categories.apply(parsed).catch(refuseFull)) };
		},
	};
}

/** `rename` needs `name`, and `set-category` needs `categoryId`. `set-status` without `status` removes the status. */
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
/** The animal as the editor saw it: any other state is a conflict. Older consoles do not send the category. */
const Seen = Type.Object(
	{ name, categoryId: Type.Optional(categoryId), status },
	{ description: "an object with name and optionally categoryId and status" },
);
const checkSeen = checkOf(Seen);

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

function refuseFull(error: unknown): never {
	throw error instanceof CategoriesFull ? new ApiError("invalid_body", error.message) : error;
}

/** @throws ApiError `invalid_body` */
function parseChange(given: unknown, index: number): CategoryChange {
	const { id, name } = validOf(checkChange(given), `categories[${index}]: `);
	if (id !== undefined) return { id, ...(name !== undefined && { name }) };
	if (name !== undefined) return { name };
	throw new ApiError("invalid_body", `categories[${index}]: id or name is required`);
}
