// The operators' port: metrics and health, separate from the public port.

import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { isIP } from "node:net";
import { ApiError } from "../contract/errors.ts";
import type { Metrics } from "./metrics.ts";
import type { ProbeReply, Probes } from "./probes.ts";

export interface OpsOptions {
	metrics: Pick<Metrics, "text" | "contentType">;
	probes: Pick<Probes, "ready"> & { live(): ProbeReply | Promise<ProbeReply> };
	/** The host name or address that the port listens on. */
	host: string;
	/** Replies with the Error object. */
	fail: (request: IncomingMessage, response: ServerResponse, failure: ApiError) => void;
}

export function createOpsHandler({ metrics, probes, host, fail }: OpsOptions): RequestListener {
	const routes: Record<string, () => Promise<{ type: string; body: string }>> = {
		"/metrics": async () => ({ type: metrics.contentType, body: await metrics.text() }),
		"/livez": async () => json(await probes.live()),
		"/readyz": async () => json(await probes.ready()),
	};
	const allow = "GET, HEAD, OPTIONS";

	async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		if (!isOwnName(request.headers.host, host)) {
			throw new ApiError(
				"malformed_request",
				"the Host of this port must be an IP address, OPS_HOST, or a name without dots",
			);
		}
		const route = routes[request.url?.split("?")[0] ?? ""];
		if (!route) throw new ApiError("route_not_found", `this port serves ${Object.keys(routes).join(", ")}`);
		if (!allow.split(", ").includes(request.method ?? "")) {
			response.setHeader("allow", allow);
			throw new ApiError("method_not_allowed", allow);
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
			fail(request, response, error instanceof ApiError ? error : new ApiError("internal_error")),
		);
	};
}

/**
 * Guards against DNS rebinding: a web page can point its own host name at this port and then read it. Such a name has a
 * dot; host names of a local network have none.
 * @param sent the well-formed Host header; HTTP/1.0 may omit it
 */
function isOwnName(sent: string | undefined, ownName: string): boolean {
	if (sent === undefined) return true;
	const name = sent.replace(/:\d*$/, "").toLowerCase();
	return name.startsWith("[") || isIP(name) !== 0 || !name.includes(".") || name === ownName.toLowerCase();
}

function json(value: object): { type: string; body: string } {
	return { type: "application/json", body: JSON.stringify(value) };
}
