// TLS to the database server. `sslmode` means the same as in PostgreSQL's own clients (manual, libpq, SSL Support):
// `require` encrypts, `verify-ca` checks the issuer of the certificate, `verify-full` also its host name.

import type { ConnectionOptions } from "node:tls";
import { parse } from "pg-connection-string";
import { StoreRefused } from "../store.ts";
import type { PostgresUrl } from "./url.ts";

/** Undefined without any parameter for TLS. @throws StoreRefused if a file cannot be read */
export function tlsOptions({ parameters }: PostgresUrl): ConnectionOptions | false | undefined {
	const given = new URLSearchParams([...parameters].filter(([name]) => name.startsWith("ssl")));
	// Node's root certificates, where libpq uses those of the system.
	if (given.get("sslrootcert") === "system") {
		given.delete("sslrootcert");
		given.set("sslmode", "verify-full");
	}
	try {
		return parse(`postgres:///?${given}`, { useLibpqCompat: true }).ssl as ConnectionOptions | false | undefined;
	} catch (error) {
		const { message } = error as Error;
		throw new StoreRefused(
			`cannot read a file for TLS (${message}): fix sslrootcert, sslcert or sslkey in DATABASE_URL`,
		);
	}
}
