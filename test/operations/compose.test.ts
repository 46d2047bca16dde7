// deploy/compose.yaml agrees with the settings and its scripts, which `npm run prove -- --only compose` runs.

import assert from "node:assert/strict";
import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { load } from "js-yaml";
import { readConfig } from "../../src/config.ts";
import { checkout, read } from "../support/checkout.ts";
import { configurationOf } from "../support/document-blocks.ts";

const text = read("deploy/compose.yaml");
const { services } = load(text) as { services: Record<string, Service> };

interface Service {
	environment?: Record<string, string>;
	volumes?: string[];
}

test("compose: every mounted file exists, and every script is executable", () => {
	const mounted = Object.values(services)
		.flatMap(({ volumes = [] }) => volumes)
		.filter((volume) => volume.startsWith("./"))
		.map((volume) => volume.split(":")[0] ?? "");
	assert.ok(mounted.length >= 4);
	for (const path of mounted)
		accessSync(join(checkout, "deploy", path), path.endsWith(".sh") ? constants.X_OK : constants.R_OK);
});

test("compose: every password is set, each for its scripts, and no node gets the superuser's", () => {
	const passwords = [...new Set(text.match(/\b[A-Z]+_PASSWORD(?=:\?choose one\})/g))];
	assert.deepEqual(passwords.toSorted(), ["ANIMALS_PASSWORD", "POSTGRES_PASSWORD", "STANDBY_PASSWORD"]);
	const roles = read("deploy/postgres/roles.sh");
	const names = new Set([...roles.matchAll(/\$(\w+_PASSWORD)\b/g)].map(([, name = ""]) => name));
	const { database, backup } = services;
	for (const name of names) assert.ok(database?.environment?.[name], name);
	const nodes = Object.entries(services).filter(([name]) => name.startsWith("node-"));
	assert.equal(nodes.length, 3);
	for (const [, { environment = {} }] of [...nodes, ["backup", backup ?? {}] as const]) {
		assert.match(environment["DATABASE_URL"] ?? "", /^postgres:\/\/animals:\$\{ANIMALS_PASSWORD:/);
		assert.ok(!JSON.stringify(environment).includes("POSTGRES_PASSWORD"));
	}
	const [, { environment = {} } = {}] = nodes[0] ?? [];
	const given = Object.entries(environment).map(([name, value]) => [
		name,
		value.replaceAll(/\$\{\w+:-(\w*)\}/g, "$1").replaceAll(/\$\{[^}]+\}/g, "x"),
	]);
	assert.equal(readConfig(Object.fromEntries(given)).databaseUrl, "postgres://animals:x@database:5432/animals");
});

test("compose: its nginx chooses nodes as docs/proxies.md does, and includes the same file", () => {
	const nginx = read("deploy/nginx.conf");
	const page = configurationOf("docs/proxies.md", "nginx", { "127.0.0.1:8080": "node-1:8080" });
	const upstream = (text: string) =>
		/upstream animals \{[^}]*\}/
			.exec(text)?.[0]
			.replaceAll(/^\s*(#|server node-[23]:).*\n/gm, "")
			.replaceAll(/\s+/g, " ");
	assert.match(String(upstream(nginx)), /server node-1:8080 max_fails=0;/);
	assert.equal(upstream(nginx), upstream(page));
	const [, from, to] = /\.\/(nginx-server\.conf):([^:]+):ro/.exec(text) ?? [];
	assert.ok(page.includes(`include /opt/animal-store/node_modules/animal-store/deploy/${from};`));
	assert.ok(nginx.includes(`include ${to};`));
});
