// For `node --import`: shortens the real program's time-outs so that a test can wait for them, and keeps their order.

import { defaultTimeouts } from "../../src/http/listen.ts";

Object.assign(defaultTimeouts, { headersMs: 500, requestMs: 1000, keepAliveMs: 100, stalledMs: 10_000 });
