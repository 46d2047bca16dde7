// One path with all its methods: those it serves, HEAD and OPTIONS, and 405 for every other one.

import type { FastifyContextConfig, FastifyInstance, HTTPMethods, RouteOptions } from "fastify";
import { ApiError } from "../contract/errors.ts";

/** What else is told of the path, its methods and that it does not take another one, is as open as all its routes are. */
export function addPath(app: FastifyInstance, url: string, routes: Omit<RouteOptions, "url">[]): void {
	const served = routes.map(({ method }) => String(method));
	if (served.includes("GET")) served.push("HEAD");
	const allow = [...served, "OPTIONS"].join(", ");
	const isOpen = routes.every(({ config }) => config?.access === "open");
	const config: FastifyContextConfig = isOpen ? { access: "open" } : {};
	for (const route of routes) app.route({ ...route, url });
	app.route({
		method: "OPTIONS",
		url,
		config,
		handler: (_request, reply) => reply.code(204).header("allow", allow).send(),
	});
	app.route({
		method: app.supportedMethods.filter((method) => !allow.split(", ").includes(method)) as HTTPMethods[],
		url,
		config,
		onRequest: (_request, reply, done) => {
			reply.header("allow", allow);
			done(new ApiError("method_not_allowed", `this path takes ${allow}`));
		},
		handler: () => {},
	});
}
