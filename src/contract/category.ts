// The name of a category, which the store keeps beside its number, for people.

import { categoryNameMaxLength } from "./console.ts";
import { NewPet } from "./pet.ts";
import { Type } from "./schema.ts";

export const CategoryName = Type.String({
	...NewPet.properties.name,
	maxLength: categoryNameMaxLength,
	description: `a text of 1 to ${categoryNameMaxLength} characters, not only white space, without control characters`,
});
