// The schema of a category's name. It is not in `console.ts`, so that the console's first page loads no schemas.

import { NewPet } from "./pet.ts";
import { Type } from "./schema.ts";

const maxLength = 100;
export const CategoryName = Type.String({
	...NewPet.properties.name,
	maxLength,
	description: `a string of 1 to ${maxLength} characters: not only white space, no control characters`,
});
