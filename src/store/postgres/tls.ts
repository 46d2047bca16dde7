// TLS to the database server. `sslmode` means the same as in PostgreSQL's own clients (manual, libpq, SSL Support).

import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import { StoreRefused } from "../store.ts";
import type { PostgresUrl } from "./url.ts";

/**
 * `require` encrypts, `verify-ca` checks the issuer of the certificate, `verify-full` also its host name. Undefined
 * without any parameter for TLS.
 * @throws StoreRefused if a file cannot be read
 */
export function tlsOptions({ parameters }: PostgresUrl): ConnectionOptions | false | undefined {
	const mode = parameters.get("sslmode");
	if (mode === "disable") return false;
	const root = parameters.get("sslrootcert");
	// `system`: Node's root certificates, where libpq uses those of the system.
	const ca = root === "system" ? undefined : readFile("sslrootcert");
	const [cert, key] = [readFile("sslcert"), readFile("sslkey")];
	if (mode === undefined && !root && !cert && !key) return undefined;
	const files = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
	// libpq: with a root certificate, `require` checks the issuer, too.
	if (mode === "require" && !ca) return { ...files, rejectUnauthorized: false };
	if (mode === "require" || mode === "verify-ca") return { ...files, checkServerIdentity: () => undefined };
	return files;

	function readFile(name: string): string | undefined {
		const file = parameters.get(name);
		if (file === undefined) return undefined;
		try {
			return readFileSync(file, "utf8");
		} catch {
			throw new StoreRefused(`cannot read ${file}: fix ${name} in DATABASE_URL`);
		}
	}
}
