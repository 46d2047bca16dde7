// The options of `npm run bench`.

import { parseArgs } from "node:util";

export const help = `npm run bench -- [options]    (about 25 minutes without options)
  --only WORDS      scenarios with one of these words in their name, separated by commas; also: latency, beside
                    (gets while creates saturate), start, sizes
  --against NAMES   any of bare, nginx, plain, and folders of other checkouts
  --seconds N       of each turn (3)           --rounds N   turns of each server (5)
  --animals N       in the store (1000000)     --sizes NS   of the stores for "sizes" (1000,10000,100000,1000000)
  --engine postgres starts a PostgreSQL server; the scenarios only
  --json FILE       writes all figures         --from FILE  reads them from this file instead of measuring
  --document        writes docs/performance.json, and its tables into docs/performance.md
A quick run: npm run bench -- --seconds 1 --rounds 1 --animals 100000 --only list,get,create`;

export const { values } = parseArgs({
	options: {
		only: { type: "string", default: "" },
		against: { type: "string" },
		seconds: { type: "string", default: "3" },
		rounds: { type: "string", default: "5" },
		animals: { type: "string", default: "1000000" },
		sizes: { type: "string", default: "1000,10000,100000,1000000" },
		engine: { type: "string", default: "sqlite" },
		json: { type: "string" },
		from: { type: "string" },
		document: { type: "boolean", default: false },
		help: { type: "boolean", default: false },
	},
});
export const [seconds, rounds, animals] = [Number(values.seconds), Number(values.rounds), Number(values.animals)];
export const against = (values.against ?? "bare,nginx,plain").split(",").filter(Boolean);
export const others = against.filter((name) => !["bare", "nginx", "plain"].includes(name));

/** Whether `--only` names this scenario or part. */
export function isWanted(name: string): boolean {
	return values.only.split(",").some((word) => name.includes(word.trim()));
}

export function say(text: string): void {
	process.stderr.write(`${text} …\n`);
}
