// The console's private endpoints for the names of categories.

import { CategoryName } from "../contract/category.ts";
import { type CategoriesReply, type CategoryChange, categoriesMax, categoryChangesMax } from "../contract/console.ts";
import { ApiError } from "../contract/errors.ts";
import { NewPet } from "../contract/pet.ts";
import { Type } from "../contract/schema.ts";
import { checkOf } from "../contract/validate.ts";
import type { Categories } from "../store/store.ts";
import { readJson, validOf } from "./body.ts";
import type { Exchange } from "./exchange.ts";
import { createQueryReader } from "./pets.ts";

const Change = Type.Object(
	{ id: Type.Optional(NewPet.properties.categoryId), name: Type.Optional(CategoryName) },
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
			return { results: await categories.apply(parseChanges(await readJson(request))) };
		},
	};
}

/** @throws ApiError `invalid_body` */
function parseChanges(body: unknown): CategoryChange[] {
	const { categories } = Object(body) as { categories?: unknown };
	if (!Array.isArray(categories) || categories.length === 0 || categories.length > categoryChangesMax) {
		const rule = `categories is required and must be a list of 1 to ${categoryChangesMax} changes`;
		throw new ApiError("invalid_body", rule);
	}
	return categories.map((given, index) => {
		const { id, name } = validOf(checkChange(given), `categories[${index}]: `);
		if (id !== undefined) return { id, ...(name !== undefined && { name }) };
		if (name !== undefined) return { name };
		throw new ApiError("invalid_body", `categories[${index}]: id or name is required`);
	});
}
