// Real nginx, Caddy and HAProxy with TLS in front of the service, with the configurations of docs/proxies.md.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { Agent } from "node:https";
import { join } from "node:path";
import { ask, linksOf } from "../support/caller.ts";
import { certificate } from "../support/certificate.ts";
import { configurationOf } from "../support/document-blocks.ts";
import { freePort } from "../support/postgres-server.ts";
import { startProgram } from "../support/program.ts";
import { newStore, type Proof, program, type Trial } from "../support/proof.ts";
import { until, within } from "../support/until.ts";
import type { Reply } from "../support/wire.ts";

export const proof: Proof = {
	shows: "behind nginx, Caddy and HAProxy with TLS, every link is https and works, for any headers of a client",
	needs: [program("nginx"), program("caddy"), program("haproxy")],
	async prove(trial) {
		const figures: Record<string, object> = {};
		for (const proxy of proxies) figures[proxy.name] = await tryProxy(proxy, trial);
		return figures;
	},
};

export interface ProxyProgram {
	/** Its program, and the language of its block in docs/proxies.md. */
	name: "nginx" | "caddy" | "haproxy";
	versionFlag: string;
	/** Replacements in the documented text: ports and files of this machine. */
	replaced(place: Place): Record<string, string>;
	config(text: string): string;
	parameters(file: string, folder: string): string[];
}

/** Where docs/proxies.md has files of the package. */
export const packageFolder = "/opt/animal-store/node_modules/animal-store";

interface Place {
	port: number;
	/** Files of the certificate, its key, and both together. */
	cert: string;
	key: string;
	both: string;
	tree: string;
}

export const proxies: ProxyProgram[] = [
	{
		name: "nginx",
		versionFlag: "-v",
		replaced: ({ port, cert, key, tree }) => ({
			"listen 443": `listen 127.0.0.1:${port}`,
			"pets.example.com": "localhost",
			"/etc/ssl/pets.pem": cert,
			"/etc/ssl/pets.key": key,
			[packageFolder]: tree,
		}),
		config: (text) => `events {}\nhttp {\naccess_log off;\n${text}}\n`,
		parameters: (file, folder) =>
			["-c", file, "-p", folder].concat("-g", "daemon off; pid nginx.pid; error_log stderr crit;"),
	},
	{
		name: "caddy",
		versionFlag: "version",
		replaced: ({ port, cert, key }) => ({
			"pets.example.com {": `localhost:${port} {\nbind 127.0.0.1\ntls ${cert} ${key}`,
		}),
		config: (text) => `{\nadmin off\nauto_https off\n}\n${text}`,
		parameters: (file) => ["run", "--adapter", "caddyfile", "--config", file],
	},
	{
		name: "haproxy",
		versionFlag: "-v",
		replaced: ({ port, both, tree }) => ({
			"bind :443": `bind 127.0.0.1:${port}`,
			"/etc/ssl/pets-and-key.pem": both,
			[packageFolder]: tree,
		}),
		config: (text) => `defaults\ntimeout connect 5s\ntimeout client 30s\ntimeout server 30s\n${text}`,
		parameters: (file) => ["-db", "-f", file],
	},
];

async function tryProxy(proxy: ProxyProgram, trial: Trial): Promise<object> {
	const { name, versionFlag } = proxy;
	const { environment, key } = await newStore(name, trial.folder);
	const service = await startProgram(trial, { ...environment, TRUST_PROXY: "loopback" });
	const client = { ...(await startProxy(proxy, new URL(service.url).host, trial)), key };
	let links = 0;
	for (const headers of [{}, ...spoofedHeaders]) links += await walkOverHttps({ ...client, headers });
	const { headers } = await send(client, `${client.url}/v1/pets`);
	assert.equal(headers["strict-transport-security"], "max-age=31536000");
	assert.doesNotMatch(service.output.stdout, /"level":"(warn|error|fatal)"/);
	assert.equal((await service.stop()).code, 0);
	const { stdout, stderr } = spawnSync(name, [versionFlag], { encoding: "utf8" });
	const [version] = /\d+\.\d+\.\d+/.exec(stdout + stderr) ?? [];
	return { version, walks: 1 + spoofedHeaders.length, links };
}

/** Starts a proxy with its documented configuration, and waits until it replies. It ends with the trial. */
async function startProxy(proxy: ProxyProgram, node: string, trial: Trial): Promise<Omit<HttpsClient, "key">> {
	const { cert, private: key } = await certificate();
	const folder = join(trial.folder, `of-${proxy.name}`);
	mkdirSync(folder);
	const write = (name: string, text: string) => {
		writeFileSync(join(folder, name), text, { mode: 0o600 });
		return join(folder, name);
	};
	const files = {
		cert: write("pets.pem", cert),
		key: write("pets.key", key),
		both: write("both.pem", `${cert}\n${key}`),
		tree: trial.shipped.tree,
	};
	const port = await freePort();
	const replaced = { ...proxy.replaced({ port, ...files }), "127.0.0.1:8080": node };
	const text = configurationOf("docs/proxies.md", proxy.name, replaced);
	const child = spawnProxy(proxy, write("config", proxy.config(text)), folder, trial);
	const client = { url: `https://localhost:${port}`, agent: new Agent({ ca: cert, maxSockets: 1 }) };
	await until(`${proxy.name} to answer`, () => {
		child.assertRuns();
		return isAnswering({ ...client, key: "" });
	});
	return client;
}

export function spawnProxy({ name, parameters }: ProxyProgram, file: string, folder: string, trial: Trial) {
	const child = spawn(name, parameters(file, folder), {
		env: { PATH: process.env["PATH"], HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
		stdio: ["ignore", "ignore", "pipe"],
	});
	let output = "";
	child.stderr.setEncoding("utf8").on("data", (said) => {
		output += said;
	});
	const ended = once(child, "exit");
	trial.after(() => {
		child.kill("SIGTERM");
		return within(`${name} to end`, ended, 20_000).catch(() => child.kill("SIGKILL"));
	});
	return { assertRuns: () => assert.equal(child.exitCode, null, `${name} has ended: ${output}`) };
}

async function isAnswering(client: HttpsClient): Promise<boolean> {
	return send(client, `${client.url}/livez`).then(
		({ status }) => status === 200,
		() => false,
	);
}

interface HttpsClient {
	/** The address that clients know, such as `https://localhost:8443`. */
	url: string;
	/** It trusts the proxy's certificate. */
	agent: Agent;
	key: string;
	/** Sent with every request. */
	headers?: Record<string, string>;
}

/** Sends a request. @throws AssertionError unless the URL begins with the client's address */
async function send({ url: known, key, agent, headers = {} }: HttpsClient, url: string, body?: object): Promise<Reply> {
	assert.ok(url.startsWith(`${known}/`), `a link leads from ${known} to ${url}`);
	return within(`a reply from ${url}`, ask(url, { key, agent, headers, ...(body && { body }) }));
}

/**
 * Creates animals and gets each from its Location, then reads all pages, and opens every link on the way.
 * @returns the number of links @throws AssertionError if one leads elsewhere or does not work
 */
async function walkOverHttps(client: HttpsClient): Promise<number> {
	const followed = new Set<string>();
	async function follow(url: string): Promise<Reply> {
		followed.add(url);
		const reply = await send(client, url);
		assert.equal(reply.status, 200, `${url}: ${reply.body.slice(0, 300)}`);
		for (const link of Object.values(linksOf(reply))) if (!followed.has(link)) await follow(link);
		return reply;
	}
	const made: string[] = [];
	for (let count = 0; count < 12; count++) {
		const body = { name: `n${count}`, categoryId: 1 };
		const { status, headers, body: pet } = await send(client, `${client.url}/v1/pets`, body);
		assert.equal(status, 201, pet);
		assert.equal((await follow(headers["location"] ?? "")).body, pet);
		made.push(pet);
	}
	const listed: string[] = [];
	let page = await follow(`${client.url}/v1/pets?limit=5`);
	for (let next: string | undefined; ; page = await send(client, next)) {
		listed.push(...page.body.slice(1, -1).split(/(?<=\}),/));
		next = linksOf(page)["next"];
		if (next === undefined) break;
	}
	assert.deepEqual(listed.slice(-made.length), made);
	return followed.size;
}

/** Headers with which a client may try to change links, with the address of a trusted proxy. */
const spoofedHeaders: Record<string, string>[] = [
	{ "x-forwarded-proto": "http", "x-forwarded-host": "evil.example", "x-forwarded-for": "127.0.0.1" },
	{ "x-forwarded-proto": "http, http", "x-forwarded-host": "evil.example, evil.example" },
	{ "x-forwarded-for": "127.0.0.1, 127.0.0.1, 127.0.0.1" },
	{ forwarded: "for=127.0.0.1;proto=http;host=evil.example" },
	{ forwarded: "for=127.0.0.1;proto=http;host=evil.example, for=127.0.0.1;proto=http;host=evil.example" },
	{ forwarded: "proto=http", "x-forwarded-host": "evil.example" },
];
