// Adds a path with all its methods: its routes, HEAD and OPTIONS, and 405 for all other methods.

import type { FastifyInstance, HTTPMethods, RouteOptions } from "fastify";
import type { RouteRules } from "./checks.ts";

/** A method of a path, with its rules (`config`) and its handler. */
export type Route = Omit<RouteOptions, "url"> & { config: RouteRules };

/** OPTIONS and 405, which reveal the methods of the path, are open only if all its routes are. */
export function addPath(app: FastifyInstance, url: string, routes: Route[]): void {
	const served = routes.map(({ method }) => String(method));
	if (served.includes("GET")) served.push("HEAD");
	const supported = [...served, "OPTIONS"];
	const allow = supported.join(", ");
	const isOpen = routes.every(({ config }) => config.access === "open");
	const rules: RouteRules = isOpen ? { access: "open" } : {};
	for (const route of routes) app.route({ ...route, url });
	app.route({
		method: "OPTIONS",
		url,
		config: rules,
		handler: (_request, reply) => reply.code(204).header("allow", allow).send(),
	});
	app.route({
		method: app.supportedMethods.filter((method) => !supported.includes(method)) as HTTPMethods[],
		url,
		config: { ...rules, allowedMethods: allow },
		handler: () => {},
	});
}
