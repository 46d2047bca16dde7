// A primary of PostgreSQL and a standby of it, and a service that reaches the one which leads.

import { startBalancer } from "./balancer.ts";
import { keyFor } from "./key-for.ts";
import { type PostgresServer, startPostgresFor } from "./postgres-server.ts";
import { type Running, startProgram } from "./program.ts";

export interface ServiceWithStandby {
	service: Running;
	key: string;
	primary: PostgresServer;
	standby: PostgresServer;
	/** New connections of the service go to this server from now on. */
	lead(server: PostgresServer): void;
}

/** @param through what lies between the service and the servers: from their URL it makes that of the service */
export async function serviceWithStandby(
	context: { after(cleanUp: () => unknown): void },
	through = async (url: string) => url,
): Promise<ServiceWithStandby> {
	const primary = await startPostgresFor(context);
	const key = await keyFor(`${primary.url}/postgres`);
	const standby = await primary.replica();
	context.after(() => standby.remove());
	let leader = primary;
	const port = await startBalancer(context, () => [leader.port]);
	const url = await through(`postgres://animals:animals@127.0.0.1:${port}/postgres`);
	const service = await startProgram(context, { DATABASE_URL: url });
	const lead = (server: PostgresServer) => {
		leader = server;
	};
	return { service, key, primary, standby, lead };
}
