// Creates a large store with SQL for a measurement: ten million creates through the service would take an hour.

import Database from "better-sqlite3";
import { runProgram } from "../test/support/program.ts";

/** Adds animals with ids above the existing ids. @returns a key */
export async function makeLargeStore(file: string, animals: number): Promise<string> {
	const environment = { DATABASE_URL: `sqlite:${file}` };
	const { stdout } = await runProgram(["keys", "create", "--name", "bench"], { environment });
	addAnimals(file, animals);
	return stdout.trim();
}

/** Adds animals to any SQLite file with a table `pets`, in 50 categories and with all statuses. */
export function addAnimals(file: string, animals: number, format = "Animal %09d"): void {
	const database = new Database(file);
	database.pragma("synchronous = OFF");
	database.pragma("cache_size = -500000");
	const add = database.prepare(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < @count)
		INSERT INTO pets (name, category_id, status)
		SELECT printf(@format, i + @from), i % 50,
			CASE i % 4 WHEN 0 THEN 'available' WHEN 1 THEN 'pending' WHEN 2 THEN 'sold' END FROM n`);
	for (let from = 0; from < animals; from += 100_000)
		add.run({ from, format, count: Math.min(100_000, animals - from) });
	database.close();
}
