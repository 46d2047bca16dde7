// The /metrics of a running service, and the metrics that the alerts, the dashboard and the documents name.

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { test } from "node:test";
import { getPetDeprecation } from "../../src/contract/deprecation.ts";
import { exposeProcess } from "../../src/ops/exposition.ts";
import { metricTable } from "../../src/ops/metrics.ts";
import { ask } from "../support/caller.ts";
import { read } from "../support/checkout.ts";
import { databaseFor } from "../support/postgres.ts";
import { figureOf, parseMetrics, samplesOf } from "../support/scrape.ts";
import { create, testService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { Connection, createHead, exchange } from "../support/wire.ts";

const rex = { name: "Rex", categoryId: 1, status: "sold" };

const families = Object.entries(metricTable).map(([name, metric]) => ({ name, ...metric }));

test("docs/monitoring.md lists every metric with its labels and meaning, and no other", () => {
	const rows = families.map(
		({ name, labels, help }) => `| \`${name}\` | ${labels.map((label) => `\`${label}\``).join(", ")} | ${help} |`,
	);
	assert.deepEqual(read("docs/monitoring.md").match(/^\| `(animal_store|process|nodejs)_.*$/gm), rows);
});

test("metrics have Prometheus' names: counters end in _total, units are seconds and bytes", () => {
	for (const { name, type, help, labels } of families) {
		assert.match(name, /^(animal_store|process|nodejs)_[a-z_]+[a-z]$/);
		assert.equal(name.endsWith("_total"), type === "counter", name);
		assert.doesNotMatch(name, /_(count|sum|bucket|ms|milliseconds|kb|mb|minutes)(_|$)/);
		assert.match(help, /^[^\n\\]+$/, name);
		for (const label of labels) assert.match(label, /^(?!le$|quantile$)[a-z_]+$/, name);
	}
});

test("the alerts and the dashboard use only metrics and labels that the service has", async () => {
	const text = await exposeProcess();
	const ofProcess = [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name = ""]) => ({ name, labels: [] }));
	const all = [...families, ...ofProcess];
	const labelsOf = new Map(all.map(({ name, labels }) => [name, [...labels, "instance", "job", "le"]]));
	const dashboard = JSON.parse(read("deploy/grafana/dashboard.json"));
	const panels: { type: string; title: string; targets?: { expr: string }[] }[] = dashboard.panels;
	const titles = panels.flatMap(({ type, title }) => (type === "row" ? [title] : []));
	assert.deepEqual(titles, ["Traffic", "Errors", "Latency", "Store", "Process"]);
	const expressions = panels.flatMap(({ targets = [] }) => targets).map(({ expr }) => expr);
	assert.ok(expressions.length > 30);
	for (const text of [read("deploy/prometheus/alerts.yaml"), ...expressions]) {
		const used = [...text.matchAll(/\b((?:animal_store|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)];
		assert.ok(used.length > 0 || text.startsWith("vector("), text);
		for (const [, name = "", matchers = ""] of used) {
			const labels = labelsOf.get(name) ?? labelsOf.get(name.replace(/_(bucket|sum|count)$/, ""));
			assert.ok(labels, `${name} is not a metric`);
			for (const [, label = ""] of matchers.matchAll(/(\w+)=~?"/g))
				assert.ok(labels.includes(label), `${name}: ${label}`);
		}
	}
});

test("the alert about getPet begins a year before the removal in the contract", () => {
	const removal = new Date(getPetDeprecation.sunsetMs);
	const begin = Date.UTC(removal.getUTCFullYear() - 1, removal.getUTCMonth(), removal.getUTCDate()) / 1000;
	assert.ok(read("deploy/prometheus/alerts.yaml").includes(`vector(time()) >= ${begin}\n`));
});

test("refusals are counted by reason: keys, rates and the HTTP parser", async (context) => {
	const service = await testService(context, { environment: { RATE_LIMIT: "3/1h" }, mixes: false });
	const count = (reason: string) => figureOf(service, "animal_store_refusals_total", { reason });
	await service.send({ path: "/v1/pets", headers: { Authorization: undefined } });
	await service.send({ path: "/v1/pets", headers: { Authorization: "Bearer x" } });
	await exchange(service.port, "no HTTP\r\n\r\n");
	for (let index = 0; index < 5; index++) await service.send({ path: "/v1/pets/7" });
	const reasons = ["missing_credential", "invalid_credential", "malformed_request", "pet_not_found", "rate_limited"];
	assert.deepEqual(await Promise.all(reasons.map(count)), [1, 1, 1, 3, 2]);
	assert.deepEqual(await Promise.all(["client_abort", "internal_error"].map(count)), [0, 0]);
});

test("connections and requests in flight are counted", async (context) => {
	const service = await testService(context);
	const figure = (name: string) => figureOf(service, `animal_store_${name}`);
	const { socket } = new Connection(service.port);
	socket.write(createHead(service.key, "Content-Length: 100\r\n\r\n"));
	await until("the request to be in flight", async () => (await figure("requests_in_flight")) === 1);
	assert.equal(await figure("connections"), 1);
	socket.destroy();
	await until("the connection to be gone", async () => (await figure("connections")) === 0);
	assert.equal(await figure("requests_in_flight"), 0);
});

test("commits are counted with durations, syncs and writes, and if they fail; animals by status", async (context) => {
	const service = await testService(context);
	assert.equal(await figureOf(service, "animal_store_animals"), 0);
	const before = await figureOf(service, "animal_store_batch_writes_sum");
	await Promise.all([1, 2, 3].map(() => service.send(create(rex))));
	await service.send(create({ name: "Max", categoryId: 1 }));
	assert.equal(await figureOf(service, "animal_store_batch_writes_sum"), before + 4);
	for (const name of ["commit", "sync"]) {
		assert.ok((await figureOf(service, `animal_store_${name}_duration_seconds_count`)) >= 2);
		assert.ok((await figureOf(service, `animal_store_${name}_duration_seconds_sum`)) > 0);
	}
	assert.equal(await figureOf(service, "animal_store_animals", { status: "sold" }), 3);
	assert.equal(await figureOf(service, "animal_store_animals", { status: "none" }), 1);
	assert.equal(await figureOf(service, "animal_store_oldest_write_waiting_seconds"), 0);
	const startedAt = await figureOf(service, "process_start_time_seconds");
	assert.ok(Math.abs(startedAt + process.uptime() - Date.now() / 1000) < 5, String(startedAt));
	for (const name of ["database_bytes", "wal_bytes", "disk_free_bytes", "disk_size_bytes", "writable"])
		assert.ok((await figureOf(service, `animal_store_${name}`)) > 0, name);
	rmSync(service.databaseUrl.slice("sqlite:".length));
	assert.equal((await service.send(create(rex))).status, 503);
	assert.equal(await figureOf(service, "animal_store_writable"), 0);
	assert.ok((await figureOf(service, "animal_store_commits_failed_total")) >= 1);
	assert.deepEqual(await samplesOf(service, "animal_store_database_bytes"), [], "the file is gone");
});

test("over PostgreSQL the metrics have the pool's connections, and no sizes of files", async (context) => {
	const { url } = await databaseFor(context);
	const service = await testService(context, { environment: { DATABASE_URL: url } });
	assert.equal((await service.send(create(rex))).status, 201);
	assert.match(String(service.log.find(({ msg }) => msg === "listening")?.["store"]), /^postgres:.*:\*\*\*@/);
	assert.ok((await figureOf(service, "animal_store_pool_connections")) >= 1);
	assert.ok((await figureOf(service, "animal_store_commit_duration_seconds_count")) >= 1);
	assert.deepEqual(await samplesOf(service, "animal_store_database_bytes"), []);
});

test("every metric appears in /metrics, with help and type, even when it has no value yet", async (context) => {
	const { opsUrl } = await testService(context);
	const text = (await ask(`${opsUrl}/metrics`)).body;
	for (const { name, type, help } of families)
		assert.ok(text.includes(`# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`), name);
	const [info] = parseMetrics(text).filter(({ name }) => name === "animal_store_build_info");
	assert.deepEqual(info?.labels, { version: JSON.parse(read("package.json")).version });
});

test("the runbook has an entry for each alert, and no other", () => {
	const alerts = [...read("deploy/prometheus/alerts.yaml").matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
	const entries = [...read("docs/runbook.md").matchAll(/^## (AnimalStore\w+)$/gm)].map(([, name]) => name);
	assert.ok(alerts.length >= 10);
	assert.deepEqual(entries, alerts);
});
