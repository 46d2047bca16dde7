// All commands of docs/debian.md, in a new Debian that systemd boots in a temporary folder.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { bootMachine, type Machine, type Run, untilReady } from "../support/booted-machine.ts";
import { checkout } from "../support/checkout.ts";
import { blockOf, configurationOf } from "../support/document-blocks.ts";
import { imageOptions } from "../support/image.ts";
import { linux, type Proof, program, root, type Trial } from "../support/proof.ts";
import { until } from "../support/until.ts";

const block = (start: string) => blockOf("docs/debian.md", start);
/** The page's blocks from the user's account to the start. */
const steps = () => ["adduser --system", "test -e", "units=", "systemctl enable"].map((start) => block(start));
/** The alerts and their unit tests, which the package lacks. */
const rules = join(checkout, "deploy/prometheus");
const host = "pets.example.com";
const settings = "/etc/animal-store/environment";
const node = "/opt/animal-store/node_modules/node-linux-*/bin/node";
/** A mail server that writes every message to a file. */
const mailServer = `
	const { appendFileSync } = require("node:fs");
	require("node:net").createServer((socket) => {
		let isText = false;
		socket.write("220 mail\\r\\n");
		require("node:readline").createInterface({ input: socket }).on("line", (line) => {
			if (isText) appendFileSync("/run/mail", line + "\\n");
			if (isText && line !== ".") return;
			isText = /^data/i.test(line);
			socket.write(isText ? "354 go on\\r\\n" : "250 done\\r\\n");
		});
	}).listen(25, "127.0.0.1");`;
/** Prometheus evaluates its rules every minute, and the alert must hold for another minute. */
const alertLimitMs = 240_000;

export const proof: Proof = {
	shows:
		"a bare Debian becomes a service behind TLS, with tested alerts and backups, by the commands of docs/debian.md",
	needs: [linux, root, program("debootstrap"), program("unshare", "util-linux"), program("ip", "iproute2")],
	options: imageOptions,
	async prove(trial) {
		const machine = await bootDebian(trial, trial.option("mirror"));
		const { run, runOnline, write } = machine;
		const { say } = trial;
		runOnline(block("apt-get install"));
		say("installed");
		for (const step of steps()) run(step);
		const key = run(block("animal-store keys create")).trim();
		assert.match(key, /^pets_\w+$/);
		say("the service runs, and has a key");

		putTls(machine);
		const asClient = { key, call: (path: string, more = "") => call(run, path, key, more) };
		const seeTls = block("nginx -t").replace("pets_…", key);
		assert.match(run(seeTls), /^\[\]$/m);
		for (const name of ["Rex", "Mia", "Bo"]) assert.equal(create(asClient.call, name), 201);
		assert.match(asClient.call("/v1/pets?limit=1", "-i"), /^link: <https:\/\/pets\.example\.com\/v1\/pets\?/im);
		assert.match(run("fuser /var/lib/animal-store/animals.db 2>&1"), new RegExp(` ${mainPid(run)}\\b`));
		say("it answers behind TLS, with https links");

		write("/etc/prometheus/prometheus.yml", configurationOf("docs/monitoring.md", "yaml", {}));
		write("/etc/prometheus/alertmanager.yml", configurationOf("docs/debian.md", "yaml", {}));
		run(`systemd-run --quiet --unit=mail ${node} -e '${mailServer}'`);
		run(block("echo 'ARGS"));
		await until("a scrape", () => isTrue(run, 'up{job="animal-store"} == 1'), { everyMs: 1000 });
		const loaded = JSON.parse(run("curl --silent http://127.0.0.1:9090/api/v1/rules"));
		const alerts = loaded.data.groups.flatMap((group: { rules: { type: string }[] }) => group.rules);
		cpSync(rules, join(machine.place, "root/rules"), { recursive: true });
		for (const file of ["alerts.test.yaml", "removal.test.yaml"]) run(`promtool test rules rules/${file}`);
		run(`curl --silent http://127.0.0.1:9464/metrics | promtool check metrics`);
		say("Prometheus scrapes it; the unit tests of its rules pass");

		const expected = await upgradeTwice(machine, asClient.call);
		for (const step of [...steps(), block("animal-store keys"), block("echo 'ARGS")]) run(step);
		run(seeTls);
		assert.match(run(`cat ${settings}`), /^BACKUP_EVERY=1s$/m, "the settings stay");
		assert.deepEqual(namesOf(asClient.call), expected);
		say("after two upgrades and a second run of all commands, nothing else has changed");
		await restore(machine, () => namesOf(asClient.call), expected);
		say("restore refused to replace a store; after a loss of the disk it restored the newest backup");
		await runTwoNodes(machine, () => namesOf(asClient.call), expected);
		say("a restore and an upgrade of two nodes start these two, and no other service");

		await fillDisk(machine, asClient.call);
		say("with a full disk, creates got 503, reads worked and alerts arrived by mail; with space again, both ended");
		run(`animal-store keys revoke ${/key_\w+/.exec(run("animal-store keys list"))?.[0]}`);
		await until("the end of the leaked key", () => asClient.call("/v1/pets").includes('"code":"invalid_credential"'), {
			withinMs: 3000,
		});
		trial.say("the leaked key was revoked");
		const backups = run("ls -R /var/backups/animals").trim().split("\n");
		return { alerts: alerts.filter(({ type }: { type: string }) => type === "alerting").length, backups };
	},
};

interface Debian extends Machine {
	/** The folder of the machine's files. */
	place: string;
	write(path: string, text: string): void;
}

/** A new Debian with the package's tarball in /root. */
async function bootDebian(trial: Trial, mirror: string): Promise<Debian> {
	const place = join(trial.folder, "debian");
	execFileSync("debootstrap", ["--variant=minbase", "--include=systemd-sysv", "bookworm", place, mirror], {
		stdio: "pipe",
	});
	trial.say("Debian is installed");
	// Copies the certificates that this machine trusts, such as the certificate of a proxy for downloads.
	const trusted = "/usr/local/share/ca-certificates";
	if (existsSync(trusted)) cpSync(trusted, join(place, trusted), { recursive: true });
	cpSync("/etc/resolv.conf", join(place, "etc/resolv.conf"), { dereference: true });
	const { tarball } = trial.shipped;
	cpSync(tarball, join(place, "root", basename(tarball)));
	const machine = await bootMachine(trial, place);
	machine.runOnline("apt-get update");
	return { ...machine, place, write: (path, text) => writeFileSync(join(place, path), text) };
}

/** Configures nginx with the documented text and a certificate that curl trusts. */
function putTls({ run, write }: Debian): void {
	write("/etc/nginx/conf.d/pets.conf", configurationOf("docs/proxies.md", "nginx", {}));
	run(`openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=${host} -addext subjectAltName=DNS:${host} \
		-keyout /etc/ssl/pets.key -out /etc/ssl/pets.pem 2>&1
		cp /etc/ssl/pets.pem ${"/usr/local/share/ca-certificates"}/pets.crt; update-ca-certificates 2>&1
		echo "127.0.0.1 localhost ${host}" > /etc/hosts`);
}

function call(run: Run, path: string, key: string, more: string): string {
	return run(`curl --silent ${more} "https://${host}${path}" -H "Authorization: Bearer ${key}"`);
}

function create(request: (path: string, more: string) => string, name: string): number {
	return Number(request("/v1/pets", `-o /dev/null -w '%{http_code}' --json '{"name":"${name}","categoryId":1}'`));
}

function namesOf(request: (path: string) => string): string[] {
	return JSON.parse(request("/v1/pets")).map(({ name }: { name: string }) => name);
}

function mainPid(run: Run): string {
	return run("systemctl show -P MainPID animal-store").trim();
}

/** The block that installs a new version, in a folder of its own although the package is the same. */
const newVersion = (name: string) =>
	block("animal-store backup").replace(/(animal-store-)1\.0\.0(?!\.tgz)/g, `$1${name}`);

/** Upgrades twice with the page's commands, while the service makes backups. @returns the names in the newest backup */
async function upgradeTwice({ run, runOnline }: Machine, request: (path: string, more?: string) => string) {
	run(`sed -i s/^BACKUP_EVERY=.*/BACKUP_EVERY=1s/ ${settings}`);
	for (const name of ["after one backup", "after two"]) {
		const before = mainPid(run);
		runOnline(newVersion(name.replaceAll(" ", "-")));
		// The files of the version that runs are still there: threads and backups start from them.
		assert.match(request("/console/find?name=rex"), /"name":"Rex"/);
		for (const start of ["units=", "systemctl list-units"]) run(block(start));
		await untilReady(run);
		assert.notEqual(mainPid(run), before);
		assert.equal(create(request, name), 201);
	}
	const newest = "$(ls -t /var/backups/animals/*/animal-store-*.db | head -n 1)";
	await until("a backup", () => / 5 animals/.test(run(`animal-store verify "${newest}"`)), { everyMs: 500 });
	assert.match(run("ls -1 /var/backups/animals"), /(before-upgrade-[\d-]+\.db\s+){2}/);
	assert.doesNotMatch(run("journalctl --unit=animal-store --output=cat --no-pager"), /"level":"(error|fatal)"/);
	return ["Rex", "Mia", "Bo", "after one backup", "after two"];
}

/** Runs the page's restore twice: while the store exists, and after the loss of the store's disk. */
async function restore({ run }: Machine, names: () => string[], expected: string[]): Promise<void> {
	assert.throws(() => run(block("running=")), /animals\.db already exists/);
	run(block("systemctl enable"));
	await untilReady(run);
	assert.deepEqual(names(), expected);
	run(`sed -i s/^BACKUP_EVERY=.*/BACKUP_EVERY=1h/ ${settings}; systemctl stop animal-store.socket animal-store`);
	run("mount -t tmpfs -o size=64m,mode=700,uid=$(id -u animal-store) none /var/lib/animal-store");
	run(block("running="));
	run(block("systemctl enable"));
	await untilReady(run);
	assert.deepEqual(names(), expected);
}

/** Restores and upgrades two nodes. */
async function runTwoNodes({ run }: Machine, names: () => string[], expected: string[]): Promise<void> {
	run(block("systemctl disable"));
	for (const start of ["systemctl list-units", "running=", "units=", "systemctl list-units"]) {
		run(block(start).replace("animal-store restore", "animal-store restore --force"));
		for (const port of [9464, 9465]) await untilReady(run, port);
		assert.deepEqual(names(), expected);
		const running = run("systemctl list-units --plain --no-legend 'animal-store*' | cut -d ' ' -f 1");
		assert.equal(running, "animal-store@9464.service\nanimal-store@9465.service\nanimal-store.socket\n");
	}
	run("systemctl disable --now animal-store.socket animal-store@9464 animal-store@9465");
	run("rm -r /etc/systemd/system/animal-store.socket.d; systemctl daemon-reload");
	run(block("systemctl enable"));
	await untilReady(run);
}

function isTrue(run: Run, query: string): boolean {
	const address = "http://127.0.0.1:9090/api/v1/query";
	const reply = run(`curl --fail --silent --get ${address} --data-urlencode 'query=${query}' || true`);
	return reply !== "" && JSON.parse(reply).data?.result.length > 0;
}

/** Checks what the runbook says about an almost full disk: creates are refused, reads work, alerts are raised. */
async function fillDisk({ run }: Machine, request: (path: string, more?: string) => string) {
	run("dd if=/dev/zero of=/var/lib/animal-store/old-logs bs=4096 2>/dev/null || true");
	let number = 0;
	await until("a full disk", () => create(request, `filler ${number++}`) === 503, { everyMs: 0 });
	assert.match(request("/v1/pets"), /"name":"Rex"/);
	const isRaised = (alert: string, state: string) => isTrue(run, `ALERTS{alertname="${alert}",alertstate="${state}"}`);
	const raised = () =>
		isRaised("AnimalStoreWritesRefused", "firing") && isRaised("AnimalStoreDiskAlmostFull", "pending");
	await until("the alerts", raised, { everyMs: 2000, withinMs: alertLimitMs });
	const isSent = () => run("cat /run/mail || true").includes("AnimalStoreWritesRefused");
	await until("a message", isSent, { everyMs: 2000, withinMs: alertLimitMs });
	run("rm /var/lib/animal-store/old-logs");
	await until("creates to work again", () => create(request, "again") === 201);
	const ended = () => !isTrue(run, 'ALERTS{alertname=~"AnimalStoreWritesRefused|AnimalStoreDiskAlmostFull"}');
	await until("the end of the alerts", ended, { everyMs: 2000, withinMs: alertLimitMs });
}
