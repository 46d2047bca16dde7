// Code samples in TypeScript, Python and Go for the `x-codeSamples` of the OpenAPI document. Samples that tools
// generate ignore failures or do not run; their curl is good, so it is not here. test/clients.test.ts runs these
// samples.

import type { OperationName } from "./operations.ts";

export interface CodeSample {
	lang: "TypeScript" | "Python" | "Go";
	source: string;
}

const rex = '{"name": "Rex", "categoryId": 1, "status": "available"}';

export const codeSamples: Record<OperationName, CodeSample[]> = {
	listPets: [
		typeScript(`for await (const pet of store.listPets({ status: "available" })) {
	console.log(pet.id, pet.name);
}`),
		python('session.get(f"{base}/pets", params={"status": "available"}, timeout=10)'),
		go("GET", "/pets?status=available"),
	],
	createPet: [
		typeScript(`const pet = await store.createPet({ name: "Rex", categoryId: 1, status: "available" });
console.log(pet.id, pet.name);`),
		python(`session.post(
    f"{base}/pets",
    json=${rex},
    headers={"Idempotency-Key": str(uuid.uuid4())},
    timeout=10,
)`),
		go("POST", "/pets", rex),
	],
	getPet: [
		typeScript(`const pet = await store.getPet(1);
console.log(pet.id, pet.name);`),
		python('session.get(f"{base}/pets/1", timeout=10)'),
		go("GET", "/pets/1"),
	],
};

function typeScript(call: string): CodeSample {
	return {
		lang: "TypeScript",
		source: `import { AnimalStore } from "@animal-store/client";

const { ANIMAL_STORE_URL = "http://127.0.0.1:8080", ANIMAL_STORE_KEY = "" } = process.env;
const store = new AnimalStore({ url: ANIMAL_STORE_URL, key: ANIMAL_STORE_KEY });

${call}`,
	};
}

function python(call: string): CodeSample {
	return {
		lang: "Python",
		source: `import os${call.includes("uuid") ? "\nimport uuid" : ""}

import requests

base = os.environ.get("ANIMAL_STORE_URL", "http://127.0.0.1:8080") + "/v1"
session = requests.Session()
session.headers["Authorization"] = "Bearer " + os.environ["ANIMAL_STORE_KEY"]

reply = ${call}
reply.raise_for_status()
print(reply.json())`,
	};
}

function go(method: "GET" | "POST", path: string, body?: string): CodeSample {
	const reader = body === undefined ? "nil" : `strings.NewReader(\`${body}\`)`;
	const contentType = body && '\n\trequest.Header.Set("Content-Type", "application/json")';
	return {
		lang: "Go",
		source: `package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"os"${body ? '\n\t"strings"' : ""}
)

func main() {
	url := os.Getenv("ANIMAL_STORE_URL") + "/v1${path}"
	request, err := http.NewRequest("${method}", url, ${reader})
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("ANIMAL_STORE_KEY"))${contentType ?? ""}
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(reply.Status, string(text))
}`,
	};
}
