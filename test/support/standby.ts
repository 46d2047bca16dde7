// Services on PostgreSQL servers of their own: on one server, or on a primary or its standby, through a balancer.

import { type PostgresServer, startPostgresFor } from "./postgres-server.ts";
import { keyFor, startProgram } from "./program.ts";
import { startBalancer } from "./tcp-proxy.ts";
import type { CleanUps } from "./until.ts";

export async function serviceOnServer(context: CleanUps) {
	const server = await startPostgresFor(context);
	const key = await keyFor(server.databaseUrl);
	return { server, key, service: await startProgram(context, { DATABASE_URL: server.databaseUrl }) };
}

export type ServiceWithStandby = Awaited<ReturnType<typeof serviceWithStandby>>;

/** @param through starts a proxy in front of the given URL, and returns the proxy's URL for the service */
export async function serviceWithStandby(context: CleanUps, through = async (url: string) => url) {
	const primary = await startPostgresFor(context);
	const key = await keyFor(primary.databaseUrl);
	const standby = await primary.replica();
	context.after(() => standby.remove());
	let leader = primary;
	const port = await startBalancer(context, () => [leader.port]);
	const url = await through(`postgres://animals:animals@127.0.0.1:${port}/postgres`);
	const service = await startProgram(context, { DATABASE_URL: url });
	/** From here on, new connections of the service lead to this server. */
	const lead = (server: PostgresServer) => {
		leader = server;
	};
	return { service, key, primary, standby, lead };
}
