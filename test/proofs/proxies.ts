// The service behind real nginx, Caddy and HAProxy with TLS, in the configurations of docs/proxies.md.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { Agent } from "node:https";
import { join } from "node:path";
import { ask, linksOf } from "../support/caller.ts";
import { certificate } from "../support/certificate.ts";
import { configurationOf } from "../support/document-blocks.ts";
import { isServing } from "../support/listen.ts";
import { freePort } from "../support/postgres-server.ts";
import { startProgram } from "../support/program.ts";
import { newStore, type Proof, program, type Trial } from "../support/proof.ts";
import { until, within } from "../support/until.ts";
import type { Reply } from "../support/wire.ts";

export const proof: Proof = {
	shows: "behind nginx, Caddy and HAProxy with TLS, every link is https and works, whatever headers a client sends",
	needs: [program("nginx"), program("caddy"), program("haproxy")],
	async prove(trial) {
		const figures: Record<string, object> = {};
		for (const proxy of proxies) figures[proxy.name] = await tryProxy(proxy, trial);
		return figures;
	},
};

export interface ProxyProgram {
	/** The name of the program, and the language of its block in docs/proxies.md. */
	name: "nginx" | "caddy" | "haproxy";
	/** Replacements in the documented text, by this machine's ports, nodes and files. */
	replaced(place: Place): Record<string, string>;
	config(text: string): string;
	parameters(file: string, folder: string): string[];
}

/** The folder of the package in the examples of docs/proxies.md. */
const packageFolder = "/opt/animal-store/node_modules/animal-store";

interface Place {
	port: number;
	/** The host and port of each node. */
	nodes: string[];
	tree: string;
	/** The files of the certificate, its key, and both together. Absent: the proxy serves without TLS. */
	tls: { cert: string; key: string; both: string } | undefined;
}

export const proxies: ProxyProgram[] = [
	{
		name: "nginx",
		replaced: ({ port, nodes, tree, tls }) => ({
			"listen 443 ssl;": `listen 127.0.0.1:${port}${tls ? " ssl" : ""};`,
			"pets.example.com": "localhost",
			"ssl_certificate     /etc/ssl/pets.pem;": tls ? `ssl_certificate ${tls.cert};` : "",
			"ssl_certificate_key /etc/ssl/pets.key;": tls ? `ssl_certificate_key ${tls.key};` : "",
			"server 127.0.0.1:8080": nodes.map((node) => `server ${node}`).join(" max_fails=0;\n    "),
			[packageFolder]: tree,
		}),
		config: (text) => `events {}\nhttp {\naccess_log off;\n${text}}\n`,
		parameters: (file, folder) =>
			["-c", file, "-p", folder].concat("-g", "daemon off; pid nginx.pid; error_log stderr crit;"),
	},
	{
		name: "caddy",
		replaced: ({ port, nodes, tls }) => ({
			"127.0.0.1:8080": nodes.join(" "),
			"pets.example.com {": tls
				? `localhost:${port} {\nbind 127.0.0.1\ntls ${tls.cert} ${tls.key}`
				: `http://127.0.0.1:${port} {`,
		}),
		config: (text) => `{\nadmin off\nauto_https off\n}\n${text}`,
		parameters: (file) => ["run", "--adapter", "caddyfile", "--config", file],
	},
	{
		name: "haproxy",
		replaced: ({ port, nodes, tree, tls }) => ({
			"bind :443 ssl crt /etc/ssl/pets-and-key.pem": `bind 127.0.0.1:${port}${tls ? ` ssl crt ${tls.both}` : ""}`,
			"server node 127.0.0.1:8080": nodes.map((node, number) => `server node-${number} ${node}`).join("\n    "),
			[packageFolder]: tree,
		}),
		config: (text) => `defaults\ntimeout connect 5s\ntimeout client 30s\ntimeout server 30s\n${text}`,
		parameters: (file) => ["-db", "-f", file],
	},
];

async function tryProxy(proxy: ProxyProgram, trial: Trial): Promise<object> {
	const { environment, key } = await newStore(proxy.name, trial.folder);
	const service = await startProgram(trial, { ...environment, TRUST_PROXY: "loopback" });
	const tls = await certificate();
	const agent = new Agent({ ca: tls.cert, maxSockets: 1 });
	const url = await startProxy(proxy, [new URL(service.url).host], trial, { ...tls, agent });
	const client = { url, agent, key };
	let links = 0;
	for (const headers of [{}, ...spoofedHeaders]) links += await walkOverHttps({ ...client, headers });
	const { headers } = await send(client, `${url}/v1/pets`);
	assert.equal(headers["strict-transport-security"], "max-age=31536000");
	assert.doesNotMatch(service.output.stdout, /"level":"(warn|error|fatal)"/);
	assert.equal((await service.stop()).code, 0);
	return { walks: 1 + spoofedHeaders.length, links };
}

interface Tls {
	cert: string;
	private: string;
	/** Trusts the certificate. */
	agent: Agent;
}

/**
 * Starts a proxy in front of these nodes with its documented configuration, and waits until the proxy replies. The
 * proxy ends with the trial. @returns the proxy's URL
 */
export async function startProxy(proxy: ProxyProgram, nodes: string[], trial: Trial, tls?: Tls): Promise<string> {
	const { name } = proxy;
	const folder = mkdtempSync(join(trial.folder, name));
	const write = (file: string, text: string) => {
		writeFileSync(join(folder, file), text, { mode: 0o600 });
		return join(folder, file);
	};
	const port = await freePort();
	const replaced = proxy.replaced({
		port,
		nodes,
		tree: trial.shipped.tree,
		tls: tls && {
			cert: write("pets.pem", tls.cert),
			key: write("pets.key", tls.private),
			both: write("both.pem", `${tls.cert}\n${tls.private}`),
		},
	});
	const config = write("config", proxy.config(configurationOf("docs/proxies.md", name, replaced)));
	const child = spawn(name, proxy.parameters(config, folder), {
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
	const url = tls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`;
	await until(`${name} to answer`, () => {
		assert.equal(child.exitCode, null, `${name} has ended: ${output}`);
		return isServing(`${url}/livez`, tls);
	});
	return url;
}

interface HttpsClient {
	/** The address that clients know, such as `https://localhost:8443`. */
	url: string;
	/** Trusts the proxy's certificate. */
	agent: Agent;
	key: string;
	/** Headers that are sent with every request. */
	headers?: Record<string, string>;
}

/** Sends a request. @throws AssertionError unless the URL begins with the client's address */
async function send({ url: known, key, agent, headers = {} }: HttpsClient, url: string, body?: object): Promise<Reply> {
	assert.ok(url.startsWith(`${known}/`), `a link leads from ${known} to ${url}`);
	return within(`a reply from ${url}`, ask(url, { key, agent, headers, ...(body && { body }) }));
}

/**
 * Creates animals, then follows every link from their Locations and from the first page.
 * @returns the number of links @throws AssertionError if a link leads elsewhere or does not work
 */
async function walkOverHttps(client: HttpsClient): Promise<number> {
	const pages = new Map<string, string>();
	async function follow(url: string): Promise<void> {
		if (pages.has(url)) return;
		const reply = await send(client, url);
		assert.equal(reply.status, 200, `${url}: ${reply.body.slice(0, 300)}`);
		pages.set(url, reply.body);
		for (const link of Object.values(linksOf(reply))) await follow(new URL(link, url).href);
	}
	for (let count = 0; count < 12; count++) {
		const { status, headers, body } = await send(client, `${client.url}/v1/pets`, { name: `n${count}`, categoryId: 1 });
		assert.equal(status, 201, body);
		await follow(headers["location"] ?? "");
		assert.equal(pages.get(headers["location"] ?? ""), body);
	}
	await follow(`${client.url}/v1/pets?limit=5`);
	const last = [...pages.values()].find((page) => page.startsWith("[") && page.includes('"name":"n11"'));
	assert.ok(last, "the last page");
	return pages.size;
}

/** Headers with which a client may try to change links. Some name the address of a trusted proxy. */
const spoofedHeaders: Record<string, string>[] = [
	{ "x-forwarded-proto": "http", "x-forwarded-host": "evil.example", "x-forwarded-for": "127.0.0.1" },
	{ "x-forwarded-proto": "http, http", "x-forwarded-host": "evil.example, evil.example" },
	{ "x-forwarded-for": "127.0.0.1, 127.0.0.1, 127.0.0.1" },
	{ forwarded: "for=127.0.0.1;proto=http;host=evil.example" },
	{ forwarded: "for=127.0.0.1;proto=http;host=evil.example, for=127.0.0.1;proto=http;host=evil.example" },
	{ forwarded: "proto=http", "x-forwarded-host": "evil.example" },
];
