// One path with all its methods: those it serves, HEAD and OPTIONS, and 405 for every other one.

import type { FastifyInstance, HTTPMethods, RouteOptions } from "fastify";
import type { RouteRules } from "./checks.ts";

/** A method of a path, with what it declares (`config`) beside its handler. */
export type Route = Omit<RouteOptions, "url"> & { config: RouteRules };

/**
 * What else is told of the path, its methods and that it does not take another one, is as open as all its routes are.
 */
export function addPath(app: FastifyInstance, url: string, routes: Route[]): void {
	const served = routes.map(({ method }) => String(method));
	if (served.includes("GET")) served.push("HEAD");
	const taken = [...served, "OPTIONS"];
	const allow = taken.join(", ");
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
		method: app.supportedMethods.filter((method) => !taken.includes(method)) as HTTPMethods[],
		url,
		config: { ...rules, allowedMethods: allow },
		handler: () => {},
	});
}
