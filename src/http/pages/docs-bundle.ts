// A thread that extracts the 4 MB script of the reference from its Fastify plugin, compresses it and ends. On the main
// thread this would delay all requests by a quarter of a second and keep the plugin in memory.

import { parentPort } from "node:worker_threads";
import scalar from "@scalar/fastify-api-reference";
import Fastify from "fastify";
import { staticFile } from "./static-files.ts";

const app = Fastify();
app.register(scalar, { routePrefix: "/docs", configuration: { url: "/openapi.json" } });
const { statusCode, rawPayload } = await app.inject("/docs/js/scalar.js");
if (statusCode !== 200) throw new Error(`the script of the API reference was not found: ${statusCode}`);
parentPort?.postMessage(staticFile("scalar.js", rawPayload));
