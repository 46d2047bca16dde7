// For `node --import`: the real program with time-outs that a test can wait for, in their shipped order.

import { defaultTimeouts } from "../../src/http/listen.ts";

Object.assign(defaultTimeouts, { headersMs: 500, requestMs: 1000, keepAliveMs: 100, stalledMs: 10_000 });
