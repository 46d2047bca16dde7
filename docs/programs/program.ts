// Adds an animal safely, reads all animals, and acts on the code of an error.
// Needs @animal-store/client, which repeats requests and keeps numbers exact.

import { AnimalStore, ApiError } from "@animal-store/client";

// The address and the key come from the environment.
const store = new AnimalStore();

// Add safely. A string or a bigint can hold values that a number cannot.
const rex = await store.createPet({ name: "Rex", categoryId: "9223372036854775807", status: "available" });
console.log(`added ${rex.id}: ${rex.name} in category ${rex.categoryId}`);

// Read everything.
let count = 0;
for await (const _pet of store.listPets()) count++;
console.log(`read ${count} animals`);

// Act on the code.
try {
	await store.createPet({ name: "", categoryId: 1 });
} catch (error) {
	if (!(error instanceof ApiError && error.code === "invalid_body")) throw error;
	console.log(`refused with ${error.code}: ${error.message}`);
}
