// The operators' port: metrics and health, away from the public one.

import { createServer, type Server, type ServerResponse } from "node:http";
import { ApiError } from "../contract/errors.ts";
import type { Metrics } from "./metrics.ts";

export interface OpsOptions {
	metrics: Metrics;
	/** @throws ApiError while the service cannot take requests */
	checkReady: () => Promise<void>;
}

export function createOpsServer({ metrics, checkReady }: OpsOptions): Server {
	const routes: Record<string, () => Promise<{ type: string; body: string }>> = {
		"/metrics": async () => ({ type: metrics.contentType, body: await metrics.text() }),
		"/livez": async () => ok,
		"/readyz": () => checkReady().then(() => ok),
	};
	return createServer((request, response) => {
		const route = routes[request.url?.split("?")[0] ?? ""];
		if (!route) return refuse(response, new ApiError("route_not_found", `here are ${Object.keys(routes).join(", ")}`));
		if (request.method !== "GET" && request.method !== "HEAD") {
			response.setHeader("allow", "GET, HEAD");
			return refuse(response, new ApiError("method_not_allowed", "this path takes GET, HEAD"));
		}
		route().then(
			({ type, body }) => response.writeHead(200, { "content-type": type }).end(body),
			(error) => refuse(response, error instanceof ApiError ? error : new ApiError("internal_error", "see the log")),
		);
	});
}

const ok = { type: "application/json", body: '{"status":"ok"}' };

function refuse(response: ServerResponse, failure: ApiError): void {
	response.writeHead(failure.status, { "content-type": "application/json" }).end(JSON.stringify(failure));
}
