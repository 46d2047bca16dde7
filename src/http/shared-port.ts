// Lets several nodes of one store listen on the same port (REUSE_PORT). The kernel lets all processes of a user share
// such a port, even nodes of different stores: clients would get replies of a random store. So a node puts its store
// into an abstract socket's name, then reads all such names: if two nodes start at once, one sees the other.

import { hash } from "node:crypto";
import { lookup } from "node:dns/promises";
import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import { createServer } from "node:net";
import { type Store, StoreRefused } from "../store/store.ts";
import { listen } from "./listen.ts";

/** @throws StoreRefused if a node of another store listens there, and Node's error when it cannot listen */
export async function listenShared(server: Server, port: number, host: string, store: Store, node: string) {
	const { address } = await lookup(host);
	// A hash, because all users of the machine can read the names.
	const mine = hash("sha256", `${store.place} ${store.cursorSecret.toString("hex")}`, "base64url").slice(0, 22);
	const claim = createServer((socket) => socket.destroy()).unref();
	await listen(claim, { path: `\0animal-store/${port}/${address}/${mine}/${node}` });
	server.once("close", () => claim.close());
	try {
		if (claimsOf(port).some((other) => other.store !== mine && overlap(other.address, address))) {
			const fix = "set another port with PORT, or the same DATABASE_URL";
			throw new StoreRefused(`port ${port} on ${host} is served by a node of another store: ${fix}`);
		}
		await listen(server, { port, host: address, reusePort: true });
	} catch (error) {
		claim.close();
		throw error;
	}
}

/** The claims to a port by nodes on this machine (proc(5)). */
function claimsOf(port: number) {
	const names = readFileSync(`/proc/${process.pid}/net/unix`, "latin1").matchAll(/@animal-store\/(\S+)$/gm);
	return [...names].flatMap(([, name = ""]) => {
		const [ofPort, address = "", store = ""] = name.split("/");
		return Number(ofPort) === port ? [{ address, store }] : [];
	});
}

const all = ["0.0.0.0", "::"];
const overlap = (a: string, b: string) => a === b || all.includes(a) || all.includes(b);
