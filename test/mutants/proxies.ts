// Faults in what counts of the headers of proxies, and the tests that see them.

import type { Mutant } from "../mutant.ts";

const forwarded = (from: string, to: string): Mutant => ({
	file: "src/http/forwarded.ts",
	from,
	to,
	tests: ["src/http/forwarded.test.ts"],
});
const trusted = (from: string, to: string): Mutant => ({
	file: "src/http/trusted-proxies.ts",
	from,
	to,
	tests: ["src/http/trusted-proxies.test.ts"],
});
const links = (file: string, from: string, to: string): Mutant => ({ file, from, to, tests: ["test/proxies.test.ts"] });

export const mutants: Mutant[] = [
	// X-Forwarded-*
	forwarded('text.slice(text.lastIndexOf(",") + 1)', '(text.split(",")[0] ?? "")'),
	forwarded('lastOf(headers["x-forwarded-proto"])', 'String(headers["x-forwarded-proto"])'),
	forwarded("+ 1).trim()", "+ 1)"),
	forwarded('text === "" ? undefined : ', ""),
	forwarded("proto !== undefined || host !== undefined;", "headers.forwarded === undefined;"),
	forwarded("proto !== undefined || host !== undefined;", "proto !== undefined;"),
	forwarded("proto !== undefined || host !== undefined;", "isForwarded({ ...headers, forwarded: undefined });"),
	forwarded('headers["x-forwarded-for"] !== undefined ||', ""),
	forwarded('headers["x-forwarded-proto"] !== undefined ||', ""),
	forwarded('headers["x-forwarded-host"] !== undefined ||', ""),
	forwarded("headers.forwarded !== undefined", "false"),
	// What is refused.
	forwarded("/^https?$/i", "/^https?/i"),
	forwarded("/^https?$/i", "/https?$/i"),
	forwarded("origin.host !== undefined && !isHost(origin.host)", "false"),
	forwarded("proto: origin.proto?.toLowerCase()", "proto: origin.proto"),
	forwarded('throw invalid("follow the syntax of Forwarded (RFC 7239)")', "return elements"),
	forwarded("if (element.has(parameter)) throw", "if (element.has(name)) throw"),
	// Forwarded
	forwarded("if (!isTrustedProxy(", "if (false && !isTrustedProxy("),
	forwarded("if (!isTrustedProxy(", "if (true || !isTrustedProxy("),
	forwarded("parseElements(header).reverse()", "parseElements(header)"),
	forwarded('origin.proto = element.get("proto") ?? origin.proto;', 'origin.proto = element.get("proto");'),
	forwarded('origin.host = element.get("host") ?? origin.host;', 'origin.host ??= element.get("host");'),
	forwarded("if (element.size > 0) elements", "elements"),
	forwarded("element = new Map();\n\t}", "}"),
	forwarded("const parameter = name.toLowerCase();", "const parameter = name;"),
	forwarded('quoted?.replace(/\\\\(.)/g, "$1")', "quoted"),
	forwarded('|"((?:[^"\\\\]|\\\\.)*)")', '|"([^"]*)")'),
	forwarded(")[ \\t]*)?([;,]|$)/y", ")?[ \\t]*)?([;,]|$)/y"),
	forwarded("\\w:[\\]-]+)|", "\\w-]+)|"),
	forwarded("(?::[\\w.-]+)?$/", "$/"),
	// TRUST_PROXY
	trusted('["127.0.0.0/8", "::1"]', '["127.0.0.1", "::1"]'),
	trusted('"172.16.0.0/12"', '"172.16.0.0/11"'),
	trusted('"fe80::/10"', '"fe80::/64"'),
	trusted("[1-9]\\d{0,2}", "\\d{1,3}"),
	trusted("Number(prefix ?? bits) > bits", "false"),
	trusted("if (!networks.every(", "if (!networks.some("),
	trusted("name.trim()", "name"),
	// Who is asked, and what becomes of it.
	links("src/http/base-url.ts", "isTrustedProxy?.(peer)", "isTrustedProxy"),
	links("src/http/base-url.ts", "isTrustedProxy?.(peer)", "true"),
	links("src/http/base-url.ts", "if (baseUrl !== undefined) return () => baseUrl;", ""),
	links("src/http/base-url.ts", "(isHintDue || isTrustedProxy) && ", "isHintDue && "),
	links("src/http/base-url.ts", "\t\t\tisHintDue = false;\n", ""),
	links("src/http/base-url.ts", "if (isHintDue) log.warn({ peer }, ignoredHint);", ""),
	links("src/http/base-url.ts", "|| isLoopback?.(address)", ""),
	links("src/http/base-url.ts", "baseUrl !== undefined || isTrustedProxy ||", "baseUrl !== undefined ||"),
	links("src/service.ts", "if (warning) log.warn(warning);", ""),
	links("src/http/checks.ts", "...(options.isTrustedProxy ? [forwarded(options)] : []),", ""),
	links("src/http/checks.ts", 'if (access !== "open") baseUrlOf(request);', "baseUrlOf(request);"),
	{
		file: "src/http/traffic.ts",
		from: "isTrustedProxy?.(address) ?",
		to: "false ?",
		tests: ["test/connections.test.ts"],
	},
	{
		file: "src/http/traffic.ts",
		from: "isTrustedProxy?.(address) ?",
		to: "isTrustedProxy ?",
		tests: ["test/connections.test.ts"],
	},
	{
		file: "src/config.ts",
		from: 'problems.push(mustBe("TRUST_PROXY"))',
		to: "void problems",
		tests: ["src/http/trusted-proxies.test.ts"],
	},
];
