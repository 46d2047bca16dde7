// Checks the DATABASE_URL of a PostgreSQL store. Refuses what the parsing library accepts silently or reads differently
// from libpq. Each check of the settings loads this file, so this file does not load the driver.

import { parse } from "pg-connection-string";

export interface PostgresUrl {
	/** A host, or the folder of a socket. */
	host: string;
	port: number;
	/** If undefined, the driver uses its default. */
	user: string | undefined;
	password: string | undefined;
	database: string;
	/** The URL's parameters, for example `sslmode`. */
	parameters: ReadonlyMap<string, string>;
}

/** The message is shown after the setting's name. It never contains a part of the URL that may be secret. */
export class InvalidUrl extends Error {
	override readonly name = "InvalidUrl";
}

const shape = /^postgres(?:ql)?:\/\/([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s;
const example = "postgres://user:password@host:5432/database";
const accepted = "host port dbname user password sslmode sslrootcert sslcert sslkey application_name options".split(
	" ",
);
const portDefault = "5432";

/** @throws InvalidUrl */
export function parsePostgresUrl(text: string): PostgresUrl {
	const [isUrl, authority = "", path = "", query = ""] = shape.exec(text) ?? [];
	if (isUrl === undefined) throw new InvalidUrl(`must be ${example}`);
	checkEncoding(text);
	const parameters = readParameters(query);
	checkSingle([authority.slice(authority.lastIndexOf("@") + 1), parameters.get("host"), parameters.get("port")]);
	const given = readAuthority(authority);
	// The library leaves some characters of the database's name encoded.
	const database = parameters.get("dbname") ?? decodeURIComponent(path);
	if (database === "") throw new InvalidUrl(`must name a database: ${example}`);
	checkSslMode(parameters);
	return {
		...readServer(parameters.get("host") ?? given.host ?? "", parameters.get("port") ?? (given.port || portDefault)),
		user: parameters.get("user") ?? (given.user || undefined),
		password: parameters.get("password") ?? (given.password || undefined),
		database,
		parameters,
	};
}

function checkEncoding(text: string): void {
	if (/[\s\p{Cc}]/u.test(text)) throw new InvalidUrl("has a space or a control character: write %20 for a space");
	try {
		decodeURIComponent(text);
	} catch {
		throw new InvalidUrl("has an invalid percent-encoding: write %25 for a %");
	}
}

function readAuthority(authority: string): ReturnType<typeof parse> {
	if (authority.indexOf("@") !== authority.lastIndexOf("@"))
		throw new InvalidUrl("has more than one @: write %40 for an @ in user or password");
	try {
		// In libpq, a # does not begin a fragment.
		return parse(`postgres://${authority.replaceAll("#", "%23")}/`);
	} catch {
		throw new InvalidUrl("has an invalid host or port: write host:port, with [ ] around an IPv6 address");
	}
}

function checkSingle(servers: (string | undefined)[]): void {
	if (servers.some((text) => text?.includes(",")))
		throw new InvalidUrl(
			"names several hosts: give one address that follows the primary, such as that of HAProxy, " +
				"PgBouncer 1.21 or newer, a managed endpoint or a virtual address",
		);
}

function readServer(host: string, port: string): { host: string; port: number } {
	if (host === "") throw new InvalidUrl(`must name a host: ${example}`);
	if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535)
		throw new InvalidUrl(`has the port ${port}: use an integer from 1 to 65535`);
	return { host, port: Number(port) };
}

/** As in libpq, the last of several parameters with the same name counts, and a + is a plus sign. */
function readParameters(query: string): Map<string, string> {
	const parameters = new Map(new URLSearchParams(query.replaceAll("+", "%2B")));
	for (const [name, value] of parameters) {
		if (!accepted.includes(name))
			throw new InvalidUrl(`has the unknown parameter ${name}: the known ones are ${accepted.join(", ")}`);
		if (value === "") throw new InvalidUrl(`has the parameter ${name} without a value`);
	}
	return parameters;
}

function checkSslMode(parameters: ReadonlyMap<string, string>): void {
	const mode = parameters.get("sslmode");
	if (mode === undefined) return;
	if (!/^(disable|require|verify-ca|verify-full)$/.test(mode))
		throw new InvalidUrl(`has the unknown sslmode ${mode}: use disable, require, verify-ca or verify-full`);
	if (mode === "verify-ca" && !parameters.has("sslrootcert"))
		throw new InvalidUrl("has sslmode=verify-ca without sslrootcert, the file of the issuer's certificate");
	// Anyone can get a certificate from one of the system's issuers, so the host's name must be verified, too.
	if (mode !== "verify-full" && parameters.get("sslrootcert") === "system")
		throw new InvalidUrl(`has sslmode=${mode} with sslrootcert=system: use verify-full`);
}

/** The host and the port, for example `db1:5432`. */
export function nameOfServer({ host, port }: PostgresUrl): string {
	return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** The URL with *** instead of passwords. */
export function withoutPassword(text: string): string {
	return text
		.replace(/^([^:/]+:\/\/[^:@/?]*):[^@/]*@/, "$1:***@")
		.replace(/([?&])([^=&]*)=[^&]*/g, (all, mark: string, name: string) =>
			new URLSearchParams(name).has("password") ? `${mark}password=***` : all,
		);
}
