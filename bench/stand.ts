// The services that a benchmark measures in turns, each with its own store of the same animals.

import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { keyFromRandom } from "../src/keys/formats.ts";
import { fill } from "./fill.ts";
import { addAnimals } from "./large-store.ts";
import { against, animals, others, say } from "./options.ts";
import type { Database } from "./postgres.ts";
import { type Pages, pagesOf } from "./scenarios.ts";
import { folder, type Server, startPlain, startService } from "./servers.ts";

/** Services with stores of the same animals; the first is this checkout's. */
export interface Stand {
	services: Pages[];
	database?: Database | undefined;
}

export async function openStand(count: number, hasLongNames = false): Promise<Stand> {
	say(`creating stores of ${count} animals`);
	const key = keyFromRandom(randomBytes(32));
	const file = (name: string) => join(folder, `${name}${hasLongNames ? "-long" : ""}.db`);
	const starts: [string, (file: string) => Promise<Server>][] = [
		[file("ours"), (path) => startService(`sqlite:${path}`, key)],
		...others.map((checkout, index): (typeof starts)[0] => [
			file(`other-${index}`),
			(path) => startService(`sqlite:${path}`, key, checkout),
		]),
	];
	if (against.includes("plain")) starts.push([file("plain"), (path) => startPlain(path, key)]);
	const services: Pages[] = [];
	for (const [path, start] of starts) {
		await (await start(path)).stop(); // The start creates the tables.
		addAnimals(path, count, hasLongNames ? "🐾".repeat(255) : undefined);
		services.push(pagesOf(await start(path), count));
	}
	return { services };
}

/** Imports a file of another checkout's benchmark, which knows the schema of that checkout. */
function theirs<Module>(checkout: string, name: string): Promise<Module> {
	return import(pathToFileURL(resolve(checkout, `bench/${name}.ts`)).href);
}

export async function openPostgresStand(database: Database): Promise<Stand> {
	const key = await fill(database.url, animals);
	const bytesEach = await database.bytesEach(animals);
	say(`each animal takes ${bytesEach.toFixed(0)} bytes, including indexes`);
	const services = [await startService(database.url, key)];
	for (const [index, checkout] of others.entries()) {
		const url = await database.add(`other${index}`);
		const key = await (await theirs<{ fill: typeof fill }>(checkout, "fill")).fill(url, animals);
		services.push(await startService(url, key, checkout));
	}
	return { services: services.map((server) => pagesOf(server, animals)), database };
}

export async function close({ services }: Stand): Promise<void> {
	for (const { server } of services) await server.stop();
}
