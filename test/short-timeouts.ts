// For `node --import`: the real program with time-outs that a test can wait for, in their shipped order.

import { defaultTimeouts } from "../src/http/listen.ts";

Object.assign(defaultTimeouts, { headersMs: 300, requestMs: 600, keepAliveMs: 100, stalledMs: 900 });
