// The proof of several nodes: clients create animals over one port and retry with their Idempotency-Keys while one node
// after the other is killed (SIGKILL) and restarted; then the store is compared with a ledger of the creates.

import { setTimeout as sleep } from "node:timers/promises";
import type { Answer } from "./create.ts";
import { listAll } from "./ledger.ts";
import { startMixedLoad } from "./mixed-load.ts";
import type { Running } from "./program.ts";
import { seededRandom } from "./random.ts";

/** The least number of acknowledged creates between two kills, also on a busy machine. */
const acknowledgedEachKill = 60;

/** @param start starts a node on the shared port @returns the figures, and the nodes @throws AssertionError */
export async function proveNodeCrashes(options: {
	start: () => Promise<Running>;
	key: string;
	kills: number;
	seed: number;
	onProgress?: (line: string) => void;
}) {
	const { start, key, kills, seed, onProgress } = options;
	const random = seededRandom(seed);
	const nodes = await Promise.all([start(), start()]);
	let replayed = 0;
	const onReply = (_url: string, { headers }: Answer) => {
		if ("idempotency-replayed" in headers) replayed++;
	};
	const url = String(nodes[0]?.url);
	const load = startMixedLoad([url], key, { clients: 24, mayBreak: true, onReply });
	const { ledger } = load;
	for (let kill = 1; kill <= kills; kill++) {
		await load.acknowledges(acknowledgedEachKill);
		await sleep(random() * 100);
		const victim = nodes[kill % 2] as Running;
		await victim.stop("SIGKILL");
		nodes[kill % 2] = await start();
		if (kill % 10 === 0) onProgress?.(`${kill} of ${kills} kills, ${ledger.acknowledged.size} animals acknowledged`);
	}
	await load.stop();
	for (const { url } of nodes) ledger.verify(await listAll(url, key));
	const unknown = [...ledger.unknown.values()];
	const unknownKept = unknown.filter(({ id }) => id !== undefined).length;
	const proven = { kills, acknowledged: ledger.acknowledged.size, unknown: unknown.length, unknownKept, replayed };
	return { proven, nodes };
}
