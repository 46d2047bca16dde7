// The name of a category, which the store keeps beside its number, for people. It is apart from `console.ts` because
// that is loaded with the console's first page, which needs no schemas.

import { NewPet } from "./pet.ts";
import { Type } from "./schema.ts";

const maxLength = 100;
export const CategoryName = Type.String({
	...NewPet.properties.name,
	maxLength,
	description: `a text of 1 to ${maxLength} characters, not only white space, without control characters`,
});
