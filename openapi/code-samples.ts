// Code samples in curl, TypeScript, Python and Go for the `x-codeSamples` of the OpenAPI document. They are written by
// hand, because generated samples ignore failures or do not run. test/proofs/programs runs them.

import { curlOf, curlWith, inLines } from "../src/contract/curl.ts";
import type { OperationName } from "../src/contract/operations.ts";

export interface CodeSample {
	/** The language, for highlighting. */
	lang: "Shell" | "TypeScript" | "Python" | "Go";
	/** The name by which readers choose a sample. */
	label: "curl" | "TypeScript" | "Python" | "Go";
	source: string;
}

const rex = '{"name": "Rex", "categoryId": 1, "status": "available"}';

export const codeSamples: Record<OperationName, CodeSample[]> = {
	listPets: [
		curl("/pets?status=available"),
		typeScript(`for await (const pet of store.listPets({ status: "available" })) {
	console.log(pet.id, pet.name);
}`),
		python('session.get(f"{base}/pets", params={"status": "available"}, timeout=10)'),
		go("GET", "/pets?status=available"),
	],
	createPet: [
		curl("/pets", rex),
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
		curl("/pets/1"),
		typeScript(`const pet = await store.getPet(1);
console.log(pet.id, pet.name);`),
		python('session.get(f"{base}/pets/1", timeout=10)'),
		go("GET", "/pets/1"),
	],
};

function curl(path: string, body?: string): CodeSample {
	const target = `$ANIMAL_STORE_URL/v1${path}`;
	const parts = body ? [...curlWith(body, target), '-H "Idempotency-Key: $(openssl rand -hex 16)"'] : curlOf(target);
	return { lang: "Shell", label: "curl", source: inLines(parts) };
}

function typeScript(call: string): CodeSample {
	return {
		lang: "TypeScript",
		label: "TypeScript",
		source: `import { AnimalStore } from "@animal-store/client";

const { ANIMAL_STORE_URL = "http://127.0.0.1:8080", ANIMAL_STORE_KEY = "" } = process.env;
const store = new AnimalStore({ url: ANIMAL_STORE_URL, key: ANIMAL_STORE_KEY });

${call}`,
	};
}

function python(call: string): CodeSample {
	return {
		lang: "Python",
		label: "Python",
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
	const headers =
		body &&
		`
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", rand.Text())`;
	return {
		lang: "Go",
		label: "Go",
		source: `package main

import (${body ? '\n\t"crypto/rand"' : ""}
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
	request.Header.Set("Authorization", "Bearer "+os.Getenv("ANIMAL_STORE_KEY"))${headers ?? ""}
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
