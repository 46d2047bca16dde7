// The files of deploy/ agree with each other, with the image and with the settings. The proof compose runs the scripts of
// compose.yaml, and the image.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { accessSync, constants, existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { load } from "js-yaml";
import { readConfig } from "../../src/config.ts";
import { settings } from "../../src/settings.ts";
import { checkout, read } from "../support/checkout.ts";
import { configurationOf } from "../support/document-blocks.ts";
import { temporaryFolder } from "../support/service.ts";

/** A Deployment or a StatefulSet: what the tests read of it. */
interface Workload {
	spec: {
		template: {
			spec: {
				terminationGracePeriodSeconds: number;
				securityContext: { runAsUser: number; runAsGroup: number };
				topologySpreadConstraints?: unknown;
				containers: { env: { name: string; value: string }[]; volumeMounts: { name: string; mountPath: string }[] }[];
				volumes?: { name: string; secret: { secretName: string } }[];
			};
		};
		volumeClaimTemplates?: { metadata: { name: string } }[];
	};
}

const manifest = (file: string) => load(read(`deploy/kubernetes/${file}.yaml`));
const statefulSet = manifest("embedded/stateful-set") as Workload;
const pod = (manifest("postgresql/deployment") as Workload).spec.template;
const [container] = pod.spec.containers;
const [embedded] = statefulSet.spec.template.spec.containers;
assert.ok(container && embedded);
const dockerfile = read("deploy/Dockerfile");

/** The variable whose name ends with `_FILE`, and whose value is the path of a secret's file. */
const [secretVariable] = container.env.filter(({ name }) => name.endsWith("_FILE"));

test("kubernetes: the pods of both engines differ only in their store", () => {
	const withoutStore = ({ env, volumeMounts: _, ...rest }: typeof container) => ({
		...rest,
		env: env.filter(({ name }) => !["DATABASE_URL_FILE", "BACKUP_TO"].includes(name)),
	});
	assert.deepEqual(withoutStore(embedded), withoutStore(container));
	const { containers: _, volumes, topologySpreadConstraints, ...ofDeployment } = pod.spec;
	const { containers, ...ofSet } = statefulSet.spec.template.spec;
	const shared = <Pod extends { securityContext: object }>(pod: Pod) => ({
		...pod,
		securityContext: { ...pod.securityContext, fsGroupChangePolicy: undefined },
	});
	assert.deepEqual(shared(ofSet), shared(ofDeployment));
	const claims = statefulSet.spec.volumeClaimTemplates?.map(({ metadata }) => metadata.name);
	assert.deepEqual(embedded.volumeMounts, [
		{ name: "data", mountPath: /^VOLUME (.*)$/m.exec(dockerfile)?.[1] },
		{ name: "backups", mountPath: embedded.env.find(({ name }) => name === "BACKUP_TO")?.value },
	]);
	assert.deepEqual(claims, ["data", "backups"]);
});

test("kubernetes: the service starts with the settings of the Deployment, and has time to stop", (context) => {
	const file = join(temporaryFolder(context), "database-url");
	writeFileSync(file, "postgres://animals:secret@db.internal:5432/animals?sslmode=verify-full\n");
	const environment = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
	assert.equal(secretVariable?.name, "DATABASE_URL_FILE");
	const image = [...dockerfile.matchAll(/^ENV (.*)$/gm)].flatMap(([, text = ""]) => text.split(" "));
	const ofImage = Object.fromEntries(image.map((pair) => pair.split("=")));
	const config = readConfig({ ...ofImage, ...environment, DATABASE_URL_FILE: file });
	for (const name of Object.keys(environment)) assert.ok(name.replace(/_FILE$/, "") in settings, name);
	assert.deepEqual([config.host, config.opsHost], ["0.0.0.0", "0.0.0.0"], "the image listens on all addresses");
	const repliesMs = 10_000;
	assert.ok(pod.spec.terminationGracePeriodSeconds * 1000 > config.stopDelay + repliesMs);
});

test("kubernetes: the database's address is in a file that is not committed, never a placeholder", () => {
	const { secretGenerator } = manifest("postgresql/kustomization") as {
		secretGenerator: { name: string; files: string[] }[];
	};
	const [secret] = secretGenerator;
	assert.deepEqual(secret?.files, ["database-url"]);
	assert.equal(pod.spec.volumes?.[0]?.secret.secretName, secret?.name);
	const { mountPath = "" } = container.volumeMounts[0] ?? {};
	assert.deepEqual([dirname(secretVariable?.value ?? ""), "database-url"], [mountPath, secret?.files[0]]);
	assert.ok(secretVariable?.value.endsWith("/database-url"));
	// Fails if the file is not ignored.
	const ignored = ["check-ignore", "deploy/kubernetes/postgresql/database-url"];
	if (existsSync(join(checkout, ".git"))) execFileSync("git", ignored, { cwd: checkout });
});

test("kubernetes: the pod runs as the image's user, not root, on a read-only file system", () => {
	const { runAsUser, runAsGroup } = pod.spec.securityContext;
	assert.match(dockerfile, new RegExp(`^USER ${runAsUser}:${runAsGroup}$`, "m"));
	assert.ok(runAsUser > 0);
	const securityContext = {
		allowPrivilegeEscalation: false,
		readOnlyRootFilesystem: true,
		capabilities: { drop: ["ALL"] },
	};
	assert.deepEqual({ ...container, securityContext }, container);
});

const compose = read("deploy/compose.yaml");
const { services } = load(compose) as { services: Record<string, ComposeService> };

interface ComposeService {
	environment?: Record<string, string>;
	volumes?: string[];
}

test("compose: every mounted file exists, and every script is executable", () => {
	const all = Object.values(services).flatMap(({ volumes = [] }) => volumes);
	const mounted = all.filter((volume) => volume.startsWith("./")).map((volume) => volume.split(":")[0] ?? "");
	assert.ok(mounted.length >= 4);
	for (const path of mounted)
		accessSync(join(checkout, "deploy", path), path.endsWith(".sh") ? constants.X_OK : constants.R_OK);
});

test("systemd: the journal keeps every line, and the unit waits for the disk of the backups", () => {
	const unit = read("deploy/systemd/animal-store.service").split("\n");
	for (const line of ["LogRateLimitIntervalSec=0", "SyslogIdentifier=animal-store"]) assert.ok(unit.includes(line));
	const settings = read("docs/debian.md");
	const [, disk = "none"] = /^RequiresMountsFor=(\S+)$/m.exec(unit.join("\n")) ?? [];
	assert.match(settings, new RegExp(`BACKUP_TO=${disk}\\b`));
});

test("compose: every password is set, each for its scripts, and no node gets the superuser's", () => {
	const passwords = [...new Set(compose.match(/\b[A-Z]+_PASSWORD(?=:\?choose one\})/g))];
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
	for (const name of Object.keys(environment)) assert.ok(name in settings, name);
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
	const [, from, to] = /\.\/(nginx-server\.conf):([^:]+):ro/.exec(compose) ?? [];
	assert.ok(page.includes(`include /opt/animal-store/node_modules/animal-store/deploy/${from};`));
	assert.ok(nginx.includes(`include ${to};`));
});
