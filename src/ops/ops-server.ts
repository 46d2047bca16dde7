// The operators' port: metrics and health, away from the public one.

import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { isIP } from "node:net";
import { ApiError } from "../contract/errors.ts";
import type { Metrics } from "./metrics.ts";

export interface OpsOptions {
	metrics: Metrics;
	/** @throws ApiError while the service cannot take requests */
	checkReady: () => Promise<void>;
	/** The name or address that the port listens on. */
	host: string;
	/** Answers with a failure, in the one shape. */
	fail: (request: IncomingMessage, response: ServerResponse, failure: ApiError) => void;
}

export function opsHandler({ metrics, checkReady, host, fail }: OpsOptions): RequestListener {
	const routes: Record<string, () => Promise<{ type: string; body: string }>> = {
		"/metrics": async () => ({ type: metrics.contentType, body: await metrics.text() }),
		"/livez": async () => ok,
		"/readyz": () => checkReady().then(() => ok),
	};
	const allow = "GET, HEAD, OPTIONS";

	async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		if (!isOwnName(request.headers.host, host)) {
			throw new ApiError(
				"malformed_request",
				"this port is asked by its address, by OPS_HOST, or by a name without dots",
			);
		}
		const route = routes[request.url?.split("?")[0] ?? ""];
		if (!route) throw new ApiError("route_not_found", `here are ${Object.keys(routes).join(", ")}`);
		if (!allow.split(", ").includes(request.method ?? "")) {
			response.setHeader("allow", allow);
			throw new ApiError("method_not_allowed", `this path takes ${allow}`);
		}
		if (request.method === "OPTIONS") return void response.writeHead(204, { allow }).end();
		const { type, body } = await route();
		response
			.writeHead(200, {
				"content-type": type,
				"content-length": Buffer.byteLength(body),
				"cache-control": "no-store",
			})
			.end(body);
	}

	return (request, response) => {
		answer(request, response).catch((error) =>
			fail(request, response, error instanceof ApiError ? error : new ApiError("internal_error", "see the log")),
		);
	};
}

/**
 * A page on the web can point a name of its own at this port and then read it (DNS rebinding). Such a name has a dot; addresses and
 * the names of a local network have none.
 * @param sent the Host header, already known to be well-formed; HTTP/1.0 may leave it out
 */
function isOwnName(sent: string | undefined, ownName: string): boolean {
	if (sent === undefined) return true;
	const name = sent.replace(/:\d*$/, "").toLowerCase();
	return name.startsWith("[") || isIP(name) !== 0 || !name.includes(".") || name === ownName.toLowerCase();
}

const ok = { type: "application/json", body: '{"status":"ok"}' };
