// The labels of an animal's fields.

import type { NewPet } from "../../src/contract/pet.ts";

export const labels: Record<keyof NewPet, string> = { name: "Name", categoryId: "Category", status: "Status" };
