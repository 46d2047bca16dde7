// OpenTelemetry's instrumentation for Node, loaded with the documented lines next to the installed tarball.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { ask } from "../support/caller.ts";
import { blockOf } from "../support/document-blocks.ts";
import { listenFor } from "../support/listen.ts";
import { npmEnvironment } from "../support/package.ts";
import { startProgram } from "../support/program.ts";
import { newDatabase, newStore, type Proof, type Trial, type TrialStore } from "../support/proof.ts";
import { until } from "../support/until.ts";

const instrumentation = "node_modules/@opentelemetry/auto-instrumentations-node";

export const proof: Proof = {
	shows: "the documented lines yield HTTP and pg spans, with the tarball, from one SDK",
	async prove(trial) {
		const receiver = await startReceiver(trial);
		const installed = install(trial, receiver);
		const stores = { sqlite: await newStore("traced", trial.folder), postgres: await newDatabase(trial) };
		const sqlite = await proveTarball(installed, stores.sqlite, trial);
		const postgres = await proveTarball(installed, stores.postgres, trial);
		assert.ok(sqlite.pg === 0 && postgres.pg > 0);
		const { version } = JSON.parse(readFileSync(join(installed.folder, instrumentation, "package.json"), "utf8"));
		return { version, sqlite, postgres };
	},
};

interface Span {
	traceId: string;
	spanId: string;
	parentSpanId?: string;
	name: string;
	kind: number;
}

interface Receiver {
	url: string;
	/** The spans received since the last call. */
	take(): { scope: string; span: Span }[];
}

/** Starts a receiver of OTLP over HTTP, in JSON. */
async function startReceiver(trial: Trial): Promise<Receiver> {
	let spans: ReturnType<Receiver["take"]> = [];
	const server = createServer(async (request, response) => {
		assert.equal(request.url, "/v1/traces");
		const { resourceSpans } = (await json(request)) as {
			resourceSpans: { scopeSpans: { scope: { name: string }; spans: Span[] }[] }[];
		};
		for (const { scope, spans: some } of resourceSpans.flatMap(({ scopeSpans }) => scopeSpans))
			spans.push(...some.map((span) => ({ scope: scope.name.replace("@opentelemetry/instrumentation-", ""), span })));
		response.writeHead(200, { "content-type": "application/json" }).end("{}");
	});
	const port = await listenFor(trial, server);
	const take = () => {
		const taken = spans;
		spans = [];
		return taken;
	};
	return { url: `http://127.0.0.1:${port}`, take };
}

/** Makes the SDK record each process and thread that loads it. @returns a function that reads the records */
function watchLoads(folder: string, file: string): () => string[] {
	writeFileSync(file, "");
	const builtin = (name: string) => `process.getBuiltinModule("node:${name}")`;
	const note = `process.pid + " " + ${builtin("worker_threads")}.threadId + "\\n"`;
	const programs = globSync("**/register.{js,cjs,mjs}", { cwd: join(folder, instrumentation) });
	assert.ok(programs.length > 0);
	for (const program of programs)
		appendFileSync(
			join(folder, instrumentation, program),
			`\n${builtin("fs")}.appendFileSync(${JSON.stringify(file)}, ${note});\n`,
		);
	return () => readFileSync(file, "utf8").split("\n").slice(0, -1);
}

/** Installs the tarball and the instrumentation in an empty folder. In `line`, `"$@"` stands for the program. */
function install(trial: Trial, receiver: Receiver) {
	const folder = join(trial.folder, "installed");
	mkdirSync(folder);
	const block = blockOf("docs/monitoring.md", "npm install @opentelemetry", { "http://127.0.0.1:4318": receiver.url });
	const [command = "", ...line] = block.split("\n");
	const script = `npm init -y; npm install ${trial.shipped.tarball}; ${command}`;
	execFileSync("sh", ["-euc", script], { cwd: folder, env: npmEnvironment, stdio: "pipe" });
	trial.say("the tarball and the instrumentation are installed");
	const documented = line.join("\n");
	assert.ok(documented.includes("node_modules/.bin/animal-store serve"));
	return {
		receiver,
		folder,
		line: `exec env ${documented.replace("node_modules/.bin/animal-store serve", '"$@"')}`,
		loads: watchLoads(folder, join(trial.folder, "loads")),
	};
}

/** Makes the SDK send JSON instead of the default protocol, and wait less for a batch of spans. */
const sent = { OTEL_EXPORTER_OTLP_PROTOCOL: "http/json", OTEL_BSP_SCHEDULE_DELAY: "200" };
const [traceId, parent] = ["4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"];

async function proveTarball(
	{ receiver, folder, line, loads }: ReturnType<typeof install>,
	{ environment, key }: TrialStore,
	trial: Trial,
) {
	const before = loads().length;
	const isSqlite = environment.DATABASE_URL.startsWith("sqlite:");
	const backups = isSqlite ? { BACKUP_TO: trial.folder } : {};
	const service = await startProgram(
		trial,
		{ ...environment, ...backups, ...sent },
		{ folder, under: ["sh", "-c", line, "-"], tree: join(folder, "node_modules/animal-store") },
	);
	const headers = { traceparent: `00-${traceId}-${parent}-01` };
	const created = await ask(`${service.url}/v1/pets`, { key, headers, body: { name: "Rex", categoryId: 1 } });
	assert.equal(created.status, 201, created.body);
	const listed = await ask(`${service.url}/v1/pets`, { key });
	assert.equal(listed.status, 200, listed.body);
	const spans: ReturnType<Receiver["take"]> = [];
	const servers = () => spans.filter(({ scope, span }) => scope === "http" && span.kind === 2).map(({ span }) => span);
	await until("the spans of both requests", () => spans.push(...receiver.take()) >= 0 && servers().length >= 2);
	if (isSqlite) await until("a backup", () => service.output.stdout.includes('"msg":"backup made"'));

	const [create, list] = servers();
	assert.deepEqual([create?.traceId, create?.parentSpanId], [traceId, parent]);
	for (const [reply, span] of [
		[created, create],
		[listed, list],
	] as const) {
		assert.equal(reply.headers["traceparent"], `00-${span?.traceId}-${span?.spanId}-01`);
		const id = reply.headers["x-request-id"];
		const line = await until("the log line", () =>
			service.output.stdout.split("\n").find((text) => text.includes(`"requestId":"${id}"`) && text.endsWith("}")),
		);
		const { trace_id, span_id } = JSON.parse(line);
		assert.deepEqual([trace_id, span_id], [span?.traceId, span?.spanId]);
	}
	assert.deepEqual(loads().slice(before), [`${service.pid} 0`], "no thread or backup process loads the SDK");
	assert.equal((await service.stop()).code, 0);
	spans.push(...receiver.take());
	const statements = spans.filter(({ scope, span }) => scope === "pg" && span.name.startsWith("pg.query"));
	const below = statements.filter(
		({ span }) => span.parentSpanId === create?.spanId || span.parentSpanId === list?.spanId,
	);
	trial.say(isSqlite ? "the spans are right on SQLite" : "the spans are right on PostgreSQL");
	return { http: servers().length, pg: statements.length, pgBelowRequests: below.length };
}
