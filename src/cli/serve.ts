// `animal-store serve`: runs the service until SIGTERM or SIGINT.

import closeWithGrace from "close-with-grace";
import { Command } from "commander";
import { readConfig } from "../config.ts";
import type { Service } from "../service.ts";

/** Requests get 10 of these seconds to finish (see `Service.stop`). */
const stopGraceMs = 15_000;

export function serveCommand(): Command {
	return new Command("serve")
		.description("run the service; settings come from the environment (see README)")
		.option("--first-key", "on a store without keys, issue one and print it once")
		.action(serve);
}

async function serve({ firstKey = false }: { firstKey?: boolean }): Promise<void> {
	const config = readConfig();
	// Here and not above: the other commands start faster without the service.
	const [{ createLog }, { startService }] = await Promise.all([import("../ops/log.ts"), import("../service.ts")]);
	const { log, flush } = createLog(config.logLevel);
	const starting = startService({ config, log, issuesFirstKey: firstKey });
	// Before the log says "listening": whoever reads that may send a signal at once.
	closeWithGrace({ delay: stopGraceMs, logger: false }, async ({ err }) => {
		if (err) log.fatal({ err }, "stopping after an unexpected error");
		await starting.then(({ stop }) => stop());
		flush();
	});
	const service = await starting;
	flush();
	if (firstKey) {
		stopWithParent();
		await introduce(service);
	}
}

/** npm ends on a SIGTERM without passing it on: the quick start ends with whoever started it. */
function stopWithParent(): void {
	const parent = process.ppid;
	setInterval(() => process.ppid !== parent && process.kill(process.pid, "SIGTERM"), 500).unref();
}

/** The first minute of a newcomer: the key, a request to paste, and its answer. */
async function introduce({ url, firstKey }: Service): Promise<void> {
	const pets = `${url}/v1/pets`;
	if (firstKey === undefined) {
		return console.error(
			`\nThe animal store is open at ${pets}, its console at ${url}/console\nKeys: npx animal-store keys list, or keys create --name N for a new one\n`,
		);
	}
	const answer = await fetch(pets, { headers: { authorization: `Bearer ${firstKey}` } });
	console.error(`
The animal store is open. Its first API key, shown this once:

  ${firstKey}

Add an animal:

  curl -X POST ${pets} -H "Authorization: Bearer ${firstKey}" -H "Content-Type: application/json" -d '{"name":"Rex","categoryId":1,"status":"available"}'

In the browser, with that key:

  ${url}/console   animals and live plots
  ${url}/docs      the interface, to read and to try

On the command line, a file of animals at once (npx animal-store help tells more):

  export ANIMAL_STORE_URL=${url} ANIMAL_STORE_KEY=${firstKey}
  npx animal-store import animals.csv

List them:

  curl ${pets} -H "Authorization: Bearer ${firstKey}"

which answers now: ${answer.status} ${await answer.text()}
`);
}
