// Replies to the console's requests, and to variants of each path, query and body.

import { Agent } from "node:http";
import { test } from "node:test";
import { ask } from "../support/caller.ts";
import { outcomesIn } from "../support/outcomes.ts";
import { testService } from "../support/service.ts";

const assertOutcomes = outcomesIn("requests");
const headersShown = ["content-type", "content-disposition", "location", "link", "allow", "accept", "sunset"];
/** What differs between runs and versions of Node: ids of keys, signatures of cursors, and messages about JSON. */
const asNew =
	/(?<="id":")[\w-]{10,}(?=","name":"test")|(?<=cursor=)[\w-]{22}|(?<="invalid_json","message":")(?:[^"\\]|\\.)*/g;

test("requests have the recorded replies", async (context) => {
	const service = await testService(context, { mixes: false });
	service.clock.nowMs = Date.parse("2026-12-01T00:00:00Z");
	await service.store.categories.apply([{ name: "Dog" }, { name: "Cat" }]);
	const names = ["Rex", "Mia", "Bo", "Änne", "7"];
	for (const [at, name] of names.entries())
		await service.store.createPet({ name, categoryId: BigInt(at % 3), ...(at > 1 && { status: "sold" }) });
	const agent = new Agent({ keepAlive: true, maxSockets: 1 });
	context.after(() => agent.destroy());
	/** The first line is the path, the second one the body of a POST. */
	const reply = async (text: string) => {
		const [path = "", body] = text.split("\n");
		const url = service.url + path.replaceAll(/[^!-~]/gu, encodeURIComponent);
		const { status, headers, body: replied } = await ask(url, { key: service.key, agent, ...(body && { body }) });
		const shown = headersShown.flatMap((name) => headers[name] ?? []);
		return [status, ...shown, replied].join(" ").replaceAll(asNew, "").replaceAll(service.url, "");
	};
	await assertOutcomes("refused requests", reply, 0);
	await assertOutcomes("requests", reply, 40);
});
