// The console's private endpoints, except its searches (find.ts) and imports (imports.ts): edits and their history, and
// the names of categories.

import { CategoryName } from "../contract/category.ts";
import {
	type Activity,
	type CategoriesReply,
	type CategoryChange,
	type Changes,
	categoriesMax,
	categoryChangesMax,
	editActions,
	editsMax,
	type KeyInfo,
	type PastEdit,
} from "../contract/console.ts";
import { ApiError } from "../contract/errors.ts";
import { parseJson } from "../contract/json.ts";
import { operations } from "../contract/operations.ts";
import { Pet } from "../contract/pet.ts";
import { type Static, Type } from "../contract/schema.ts";
import { checkOf } from "../contract/validate.ts";
import { CategoriesFull, type EditResult, type NewEdit, StorageUnavailable, type Store } from "../store/store.ts";
import type { RateLimits } from "./admission.ts";
import { callerOf } from "./checks.ts";
import type { Exchange } from "./exchange.ts";
import { createImportHandlers, type Work } from "./imports.ts";
import { createQueryReader, readList, validOf } from "./input.ts";
import type { PetOptions } from "./pets.ts";
import { inTurnsOf, Turns, turnLimits } from "./turns.ts";

/** The most edits in one history. */
const historyMax = 100;
const changesDefault = 50;

const { id, name, categoryId, status } = Pet.properties;
const readNoQuery = createQueryReader(Type.Object({}));
const readHistoryQuery = createQueryReader(Type.Object({ id }));
const readChangesQuery = createQueryReader(
	Type.Object({
		editor: Type.Optional(Type.String({ description: "a name of 1 to 255 characters", pattern: "^.{1,255}$" })),
		before: Type.Optional(id),
		limit: operations.listPets.query.properties.limit,
	}),
);

export interface ConsoleOptions extends Pick<PetOptions, "store"> {
	/** The figures of the console, and of its Activity view. */
	activity: () => Promise<Activity>;
}

interface Parts extends ConsoleOptions, Work {}

export function createConsoleHandlers(options: ConsoleOptions, limits: RateLimits) {
	const parts: Parts = {
		...options,
		counted(exchange, items) {
			const headers = limits.countItems(callerOf(exchange), items.length);
			if (headers) exchange.headers(headers);
			return items;
		},
		write: inTurnsOf(new Turns({ ...turnLimits, tasks: "imports and edits" })),
		look: inTurnsOf(new Turns({ ...turnLimits, tasks: "lists" })),
	};
	return {
		...createImportHandlers(options.store, parts),
		showKey,
		showActivity: (exchange: Exchange) => showActivity(parts, exchange),
		edit: (exchange: Exchange) => edit(parts, exchange),
		listHistory: (exchange: Exchange) => listHistory(parts, exchange),
		listChanges: (exchange: Exchange) => listChanges(parts, exchange),
		listCategories: (exchange: Exchange) => listCategories(parts, exchange),
		changeCategories: (exchange: Exchange) => changeCategories(parts, exchange),
	};
}

function showKey(exchange: Exchange): KeyInfo {
	const { id, name, scopes, secret } = callerOf(exchange);
	return { id, name, scopes, expiresAtMs: secret.expiresAtMs };
}

async function showActivity({ activity }: Parts, exchange: Exchange): Promise<Activity> {
	const { minutes, ...figures } = await activity();
	return callerOf(exchange).scopes.includes("metrics:read") ? { ...figures, minutes } : figures;
}

async function edit({ store, counted, write }: Parts, exchange: Exchange): Promise<{ results: EditResult[] }> {
	const list = counted(exchange, await readList(exchange, "edits", `1 to ${editsMax} edits`, editsMax));
	const given = list.map((one, index) => parseEdit(one, `edits[${index}]`, callerOf(exchange).name));
	return write(exchange, () => applyEdits(store, given));
}

async function applyEdits({ edits }: Store, given: readonly NewEdit[]): Promise<{ results: EditResult[] }> {
	const results: EditResult[] = [];
	for (const edit of given) {
		try {
			results.push(await edits.apply(edit));
		} catch (error) {
			// The earlier edits are stored, so the reply contains their results and no others.
			const isEdited = results.some(({ outcome }) => outcome === "edited");
			if (!isEdited || !(error instanceof StorageUnavailable)) throw error;
			break;
		}
	}
	return { results };
}

async function listHistory({ store }: Parts, { query }: Exchange): Promise<{ edits: PastEdit[] }> {
	const records = await store.edits.ofPet(readHistoryQuery(query).id, historyMax);
	return { edits: records.map(({ petId: _, ...record }) => record) };
}

async function listChanges({ store, look }: Parts, exchange: Exchange): Promise<Changes> {
	const { limit = changesDefault, ...query } = readChangesQuery(exchange.query);
	return look(exchange, async () => {
		const { edits, next } = await store.edits.latest({ ...query, limit });
		const withPets = edits.map(async (edit) => {
			const { json } = await store.getPet(edit.petId);
			return { ...edit, pet: json === undefined ? undefined : (parseJson(json) as Pet) };
		});
		return { edits: await Promise.all(withPets), next };
	});
}

async function listCategories({ store, look }: Parts, exchange: Exchange): Promise<CategoriesReply> {
	readNoQuery(exchange.query);
	return { categories: await look(exchange, () => store.categories.list(categoriesMax)) };
}

async function changeCategories({ store, counted, write }: Parts, exchange: Exchange) {
	const rule = `1 to ${categoryChangesMax} changes`;
	const list = counted(exchange, await readList(exchange, "categories", rule, categoryChangesMax));
	const changes = list.map(parseChange);
	return { results: await write(exchange, () => store.categories.apply(changes).catch(refuseFull)) };
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
function parseEdit(given: { seen?: unknown } | null, path: string, editor: string): NewEdit {
	const edit = validOf(checkEdit(given), `${path}: `);
	const seen = validOf(checkSeen(given?.seen), `${path}.seen: `);
	return { ...toChange(edit, path), petId: edit.id, editor, seen };
}

function toChange({ action, name, categoryId, status }: Static<typeof PetEdit>, path: string) {
	if (action === "set-status") return { action, status };
	if (action === "remove") return { action };
	if (action === "set-category" && categoryId !== undefined) return { action, categoryId };
	if (action === "rename" && name !== undefined) return { action, name };
	const field = action === "rename" ? "name" : "categoryId";
	throw new ApiError("invalid_body", `${path}: ${field} is required for ${action}`);
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
