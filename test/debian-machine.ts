// A new Debian below a temporary folder, with processes, mounts and a network of its own.

import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Trial } from "./proof.ts";

const tree = fileURLToPath(new URL("..", import.meta.url));

/** A script of bash. @returns standard output @throws when a command of it failed */
export type Run = (script: string) => string;

export interface Machine {
	/** Without a network but its own. */
	run: Run;
	/** With the network of this machine, for downloads. */
	runOnline: Run;
	write(path: string, text: string, mode?: number): void;
}

/** A new Debian with a package of this tree in the folder of root. */
export async function startMachine({ folder, after, say }: Trial, mirror: string): Promise<Machine> {
	const place = join(folder, "debian");
	execFileSync("debootstrap", ["--variant=minbase", "bookworm", place, mirror], { stdio: "pipe" });
	say("Debian is there");
	const write = (path: string, text: string, mode = 0o644) => writeFileSync(join(place, path), text, { mode });
	// What this machine trusts, such as a proxy for downloads.
	const trusted = "/usr/local/share/ca-certificates";
	if (existsSync(trusted)) cpSync(trusted, join(place, trusted), { recursive: true });
	cpSync("/etc/resolv.conf", join(place, "etc/resolv.conf"), { dereference: true });
	write("/usr/sbin/policy-rc.d", "#!/bin/sh\nexit 101\n", 0o755);
	write("/usr/local/sbin/systemctl", systemctl, 0o755);
	mkdirSync(join(place, "root"), { recursive: true });
	execFileSync("npm", ["pack", "--pack-destination", join(place, "root")], { cwd: tree, stdio: "pipe" });

	// A mount of its own, so that the service can have it read-only.
	const setUp = `mount --bind ${place} ${place}; mount -t proc proc ${place}/proc; mount --rbind /dev ${place}/dev; ip link set lo up`;
	// bash, because the first process of a machine has to wait for the others.
	const first = `${setUp}; echo ready; while :; do sleep 60 & wait $!; done`;
	const namespaces = ["--net", "--pid", "--mount", "--fork", "--kill-child"];
	const holder = spawn("unshare", [...namespaces, "bash", "-euc", first], { stdio: ["ignore", "pipe", "inherit"] });
	after(() => holder.kill("SIGKILL"));
	await new Promise((resolve) => holder.stdout.once("data", resolve));
	const target = execFileSync("pgrep", ["-P", String(holder.pid)], { encoding: "utf8" }).trim();
	const env = {
		PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		HOME: "/root",
		LC_ALL: "C.UTF-8",
	};
	const own = { DEBIAN_FRONTEND: "noninteractive", NODE_EXTRA_CA_CERTS: "/etc/ssl/certs/ca-certificates.crt" };
	const inside = (flags: string[], script: string) =>
		execFileSync(
			"nsenter",
			["--target", target, "--pid", "--mount", ...flags, "chroot", place, "bash", "-euo", "pipefail", "-c"].concat(
				`cd /root; ${script}`,
			),
			{ env: { ...env, ...own }, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] },
		);
	inside([], "apt-get update");
	return { run: (script) => inside(["--net"], script), runOnline: (script) => inside([], script), write };
}

/**
 * Stands for systemctl, because nothing was booted: it starts what the units start, as their users, and the service with
 * the file system, /proc and privileges that its unit gives it.
 */
const systemctl = `#!/bin/bash
set -eu
unit=/etc/systemd/system/animal-store.service
[ "$1" = daemon-reload ] && exit
verb=$1 name=\${!#}
value() { sed -n "s/^$1=//p" $unit | sed 's,%S,/var/lib,g'; }
as() { # USER COMMAND...
	user=$1; shift
	exec setpriv --reuid "$user" --regid "$user" --clear-groups --bounding-set -all --no-new-privs setsid -- "$@"
}
closed() { # USER COMMAND...
	for path in /var/lib/animal-store /var/backups/animals; do mount --bind $path $path; done
	mount -t tmpfs none /tmp
	mount -t proc -o subset=pid,hidepid=invisible proc /proc
	mount -o remount,bind,ro /
	! touch /etc/x 2>/dev/null || exit 9
	as "$@"
}
declare -fx as closed
launch() { # SANDBOX USER COMMAND...
	unshare --mount bash -euc '"$@"' - "$@" >> "/var/log/$name.log" 2>&1 < /dev/null &
	echo $! > "/run/$name.pid"
}
stop() {
	[ -e "/run/$name.pid" ] || return 0
	kill "$(cat "/run/$name.pid")" 2>/dev/null || true
	while kill -0 "$(cat "/run/$name.pid")" 2>/dev/null; do sleep 0.1; done
	rm "/run/$name.pid"
}
start() {
	case $name in
	nginx) nginx && cp /run/nginx.pid /run/nginx.started ;;
	prometheus) cd /var/lib/prometheus
		launch as prometheus prometheus --config.file=/etc/prometheus/prometheus.yml --storage.tsdb.path=/var/lib/prometheus/metrics2 ;;
	animal-store)
		mapfile -t variables < <(value Environment; grep -v '^#' /etc/animal-store/environment)
		cd "$(value WorkingDirectory)"
		launch closed "$(value User)" env -i PATH="$PATH" NODE_EXTRA_CA_CERTS= "\${variables[@]}" $(value ExecStart)
		until curl --silent --fail http://127.0.0.1:9464/readyz > /dev/null; do kill -0 $!; sleep 0.1; done ;;
	esac
}
case $verb in
stop) stop ;;
start|enable) start ;;
restart) stop; start ;;
reload) if [ -e /run/nginx.started ]; then nginx -s reload; else start; sleep 1; fi ;;
esac
`;
