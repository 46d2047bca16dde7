// For `node --import`: shortens the time-outs of the real program so that a test can wait for them; their order stays.

import { defaultTimeouts } from "../../src/http/listen.ts";

Object.assign(defaultTimeouts, { headersMs: 500, requestMs: 1000, keepAliveMs: 100, stalledMs: 10_000 });
