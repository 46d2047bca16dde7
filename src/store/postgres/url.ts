// DATABASE_URL of a PostgreSQL store, read as PostgreSQL's own clients read it (manual, libpq, Connection URIs): one or
// several servers, and a fixed list of parameters. Loads no driver, because the settings are checked with it.

export interface PostgresUrl {
	/** In the order in which they are tried. */
	servers: Server[];
	/** Without it, the driver's default. */
	user: string | undefined;
	password: string | undefined;
	database: string;
	/** `primary`: not a standby. `read-write`: also not a primary that is read-only. */
	target: "primary" | "read-write";
	/** Such as `sslmode`. */
	parameters: ReadonlyMap<string, string>;
}

export interface Server {
	/** Or the folder of a socket. */
	host: string;
	port: number;
}

/** The message follows the name of the setting, and never contains a part of the URL that may be secret. */
export class InvalidUrl extends Error {
	override readonly name = "InvalidUrl";
}

const shape = /^postgres(?:ql)?:\/\/(?:([^@/?]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s;
const accepted = [
	"host",
	"port",
	"dbname",
	"user",
	"password",
	"target_session_attrs",
	"sslmode",
	"sslrootcert",
	"sslcert",
	"sslkey",
	"application_name",
	"options",
];
const portUsual = "5432";

/** @throws InvalidUrl */
export function parsePostgresUrl(text: string): PostgresUrl {
	const [isUrl, userInfo = "", authority = "", path = "", query = ""] = shape.exec(text) ?? [];
	if (isUrl === undefined) throw new InvalidUrl("must be postgres://user:password@host:5432/database");
	if (authority.includes("@")) throw new InvalidUrl("has more than one @: write %40 for an @ in user or password");
	const [user = "", ...password] = userInfo.split(":");
	const given = readAuthority(authority);
	const parameters = readParameters(query);
	const values = {
		hosts: parameters.get("host")?.split(",") ?? given.hosts,
		ports: parameters.get("port")?.split(",") ?? given.ports,
		database: parameters.get("dbname") ?? decode(path),
	};
	if (values.database === "") throw new InvalidUrl("must name a database: postgres://user:password@host:5432/database");
	checkSslMode(parameters);
	return {
		servers: toServers(values.hosts, values.ports),
		user: parameters.get("user") || decode(user) || undefined,
		password: parameters.get("password") || decode(password.join(":")) || undefined,
		database: values.database,
		target: readTarget(parameters.get("target_session_attrs")),
		parameters,
	};
}

/** The hosts and ports before the path: `h1:5432,[::1]:5433,h3`. */
function readAuthority(authority: string): { hosts: string[]; ports: string[] } {
	const parts = authority.split(",").map((part) => /^(?:\[([^[\]]+)\]|([^:[\]]*))(?::([^:]*))?$/.exec(part));
	return {
		hosts: parts.map((part) => {
			if (!part) throw new InvalidUrl("has an invalid host: write host:port, with [ ] around an IPv6 address");
			return decode(part[1] ?? part[2] ?? "");
		}),
		ports: parts.map((part) => part?.[3] ?? ""),
	};
}

/** One port is for all hosts. */
function toServers(hosts: string[], ports: string[]): Server[] {
	if (ports.length !== 1 && ports.length !== hosts.length)
		throw new InvalidUrl(`has ${hosts.length} hosts and ${ports.length} ports: give one port, or one for each host`);
	return hosts.map((host, index) => {
		const port = (ports.length === 1 ? ports[0] : ports[index]) || portUsual;
		if (host === "") throw new InvalidUrl("must name a host: postgres://user:password@host:5432/database");
		if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535)
			throw new InvalidUrl(`has the port ${port}: use an integer from 1 to 65535`);
		return { host, port: Number(port) };
	});
}

/** The last one counts, as in libpq. */
function readParameters(query: string): Map<string, string> {
	const entries = query.split("&").filter((entry) => entry !== "");
	return new Map(
		entries.map((entry) => {
			const [name = "", ...value] = entry.split("=");
			const known = decode(name);
			if (!accepted.includes(known))
				throw new InvalidUrl(`has the unknown parameter ${known}: the known ones are ${accepted.join(", ")}`);
			if (value.length === 0) throw new InvalidUrl(`has the parameter ${known} without a value`);
			return [known, decode(value.join("="))];
		}),
	);
}

function readTarget(text = "primary"): PostgresUrl["target"] {
	if (text === "primary" || text === "read-write") return text;
	throw new InvalidUrl(`has target_session_attrs=${text}: use read-write or primary, because the service writes`);
}

function checkSslMode(parameters: ReadonlyMap<string, string>): void {
	const mode = parameters.get("sslmode");
	if (mode === undefined) return;
	if (!/^(disable|require|verify-ca|verify-full)$/.test(mode))
		throw new InvalidUrl(`has the unknown sslmode ${mode}: use disable, require, verify-ca or verify-full`);
	if (mode === "verify-ca" && !parameters.has("sslrootcert"))
		throw new InvalidUrl("has sslmode=verify-ca without sslrootcert, the file of the issuer's certificate");
}

function decode(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		throw new InvalidUrl("has an invalid percent-encoding: write %25 for a %");
	}
}

/** Such as `db1:5432`. */
export function nameOfServer({ host, port }: Server): string {
	return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** The URL with *** in the place of passwords. */
export function withoutPassword(text: string): string {
	return text
		.replace(/^([^:/]+:\/\/[^:@/?]*):[^@/]*@/, "$1:***@")
		.replace(/([?&])([^=&]*)=[^&]*/g, (all, mark: string, name: string) =>
			decode(name) === "password" ? `${mark}password=***` : all,
		);
}
