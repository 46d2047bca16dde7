// A thread that takes the reference's 4 MB script out of its Fastify plugin and compresses it, then ends. On the main
// thread this would hold up all requests for a quarter of a second, and keep the plugin in memory.

import { parentPort } from "node:worker_threads";
import scalar from "@scalar/fastify-api-reference";
import Fastify from "fastify";
import { staticFile } from "./static-files.ts";

const app = Fastify();
app.register(scalar, { routePrefix: "/docs", configuration: { url: "/openapi.json" } });
const { statusCode, rawPayload } = await app.inject("/docs/js/scalar.js");
if (statusCode !== 200) throw new Error(`the API reference's script is not where it was: ${statusCode}`);
parentPort?.postMessage(staticFile("scalar.js", rawPayload));
