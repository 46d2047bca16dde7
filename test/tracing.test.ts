// Spans, as a small OTLP/HTTP receiver gets them.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startProgram } from "./program.ts";
import { newStore } from "./proof.ts";
import { create, temporaryFolder, testService } from "./service.ts";
import { until } from "./until.ts";

interface Span {
	traceId: string;
	spanId: string;
	parentSpanId?: string;
	name: string;
	kind: number;
	startTimeUnixNano: string;
	endTimeUnixNano: string;
	attributes: { key: string; value: { stringValue?: string; intValue?: string } }[];
	status: { code?: number };
}

interface Export {
	resourceSpans: {
		resource: { attributes: Span["attributes"] };
		scopeSpans: { spans: Span[] }[];
	}[];
}

/** A collector that keeps what it gets. @param status of its replies */
async function startCollector(context: TestContext, status = 200) {
	const spans: Span[] = [];
	const resources: Export["resourceSpans"][number]["resource"][] = [];
	const server = createServer(async (request, response) => {
		assert.deepEqual(
			[request.method, request.url, request.headers["content-type"]],
			["POST", "/v1/traces", "application/json"],
		);
		const { resourceSpans } = (await json(request)) as Export;
		for (const { resource, scopeSpans } of resourceSpans) {
			resources.push(resource);
			spans.push(...scopeSpans.flatMap((scope) => scope.spans));
		}
		response.writeHead(status, { "content-type": "application/json" }).end("{}");
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	context.after(() => {
		server.closeAllConnections();
		server.close();
	});
	return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans, resources };
}

const attributesOf = ({ attributes }: Pick<Span, "attributes">) =>
	Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]));

test("a create is a span of its caller's trace, with the store call and the commit below", async (context) => {
	const collector = await startCollector(context);
	const service = await testService(context, { environment: { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/` } });
	const [traceId, parent] = ["4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"];
	const request = create({ name: "Rex", categoryId: 1 }, { traceparent: `00-${traceId}-${parent}-01` });
	const reply = await service.send(request);
	assert.equal(reply.status, 201);
	await until("all spans", () => collector.spans.length >= 3);
	const [route, call, commit] = ["POST /v1/pets", "store.createPet", "commit"].map((name) =>
		collector.spans.find((span) => span.name === name),
	);
	assert.ok(route && call && commit);
	for (const span of [route, call, commit]) assert.equal(span.traceId, traceId);
	assert.deepEqual([route.parentSpanId, call.parentSpanId, commit.parentSpanId], [parent, route.spanId, call.spanId]);
	assert.equal(reply.headers["traceparent"], `00-${traceId}-${route.spanId}-01`);
	assert.deepEqual(attributesOf(route), {
		"http.request.method": "POST",
		"http.route": "/v1/pets",
		"http.response.status_code": 201,
		"animal_store.request.id": reply.headers["x-request-id"],
	});
	assert.deepEqual([route.kind, call.kind, attributesOf(commit)["animal_store.batch.writes"]], [2, 1, 1]);
	const times = [route, call, commit, commit, call, route].map((span, index) =>
		BigInt(index < 3 ? span.startTimeUnixNano : span.endTimeUnixNano),
	);
	assert.deepEqual(
		times,
		times.toSorted((one, other) => Number(one - other)),
		"each span lies within its parent",
	);
	const [resource] = collector.resources;
	assert.equal(resource && attributesOf(resource)["service.name"], "animal-store");
});

test("each request without a trace begins one, unsampled traces are not sent, and failures are marked", async (context) => {
	const collector = await startCollector(context);
	const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
	const service = await testService(context, { environment });
	const unsampled = `00-${"a".repeat(32)}-${"b".repeat(16)}-00`;
	const quiet = await service.send({ path: "/v1/pets", headers: { traceparent: unsampled } });
	assert.match(quiet.headers["traceparent"] ?? "", /^00-a{32}-[0-9a-f]{16}-00$/);
	const first = await service.send({ path: "/v1/pets/1" });
	service.store.listPets = () => Promise.reject(new Error("broken for the test"));
	const second = await service.send({ path: "/v1/pets" });
	const traceOf = ({ headers }: typeof first) => headers["traceparent"]?.slice(3, 35);
	assert.notEqual(traceOf(first), traceOf(second));
	const spanOf = (traceId: string | undefined) =>
		collector.spans.find((span) => span.traceId === traceId && span.kind === 2);
	const [found, failed] = await until("both spans", () => {
		const spans = [spanOf(traceOf(first)), spanOf(traceOf(second))];
		return spans.every((span) => span !== undefined) && spans;
	});
	assert.deepEqual([found?.name, found?.status.code], ["GET /v1/pets/:petId", undefined]);
	assert.equal(failed && attributesOf(failed)["error.type"], "internal_error");
	assert.equal(failed?.status.code, 2);
	assert.ok(!collector.spans.some(({ traceId }) => traceId === "a".repeat(32)));
	assert.ok(service.log.some((line) => line["trace_id"] === traceOf(first)));
});

test("a collector that fails is reported once and stops no request; what waits is sent at the stop", async (context) => {
	const collector = await startCollector(context, 500);
	const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
	const service = await testService(context, { environment });
	const isReported = () => service.log.filter(({ msg }) => String(msg).startsWith("spans cannot be sent"));
	await service.send({ path: "/v1/pets" });
	await until("the report", () => isReported().length === 1);
	const before = collector.spans.length;
	assert.equal((await service.send({ path: "/v1/pets" })).status, 200);
	await service.stop();
	assert.ok(collector.spans.length > before);
	assert.equal(isReported().length, 1);
});

test("without OTEL_EXPORTER_OTLP_ENDPOINT nothing of tracing is loaded", async (context) => {
	const collector = await startCollector(context);
	const trap = fileURLToPath(new URL("./loaded-modules.ts", import.meta.url));
	for (const [endpoint, isLoaded] of [
		["", false],
		[collector.url, true],
	] as const) {
		const environment = {
			DATABASE_URL: `sqlite:${temporaryFolder(context)}/animals.db`,
			OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
		};
		const service = await startProgram(context, environment, { nodeOptions: ["--import", trap] });
		service.process.kill("SIGTERM");
		const { stderr } = await service.finished;
		assert.equal(/loaded .*\/tracing\.ts/.test(stderr), isLoaded);
	}
});

test("SIGUSR2 switches the log to debug and back, and does not stop the service", async (context) => {
	const { environment, key } = await newStore("animals", temporaryFolder(context));
	const service = await startProgram(context, environment);
	const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
	const body = JSON.stringify({ name: "Rex", categoryId: 1 });
	const ask = async () =>
		assert.equal((await fetch(`${service.url}/v1/pets`, { method: "POST", headers, body })).status, 201);
	const has = (text: string) => until(text, () => service.output.stdout.includes(text));
	await ask();
	assert.doesNotMatch(service.output.stdout, /"level":"debug"/);
	service.process.kill("SIGUSR2");
	await has('"logLevel":"debug"');
	await ask();
	await has('"level":"debug"');
	service.process.kill("SIGUSR2");
	await has('"logLevel":"info"');
	await ask();
	service.process.kill("SIGTERM");
	assert.equal((await service.finished).code, 0);
});
