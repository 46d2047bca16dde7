// A PostgreSQL primary, its standby, and a service that reaches one of the two through a balancer.

import { startBalancer } from "./balancer.ts";
import { type PostgresServer, startPostgresFor } from "./postgres-server.ts";
import { keyFor, startProgram } from "./program.ts";

export type ServiceWithStandby = Awaited<ReturnType<typeof serviceWithStandby>>;

/** @param through starts a proxy in front of the given URL, and returns the proxy's URL for the service */
export async function serviceWithStandby(
	context: { after(cleanUp: () => unknown): void },
	through = async (url: string) => url,
) {
	const primary = await startPostgresFor(context);
	const key = await keyFor(`${primary.url}/postgres`);
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
