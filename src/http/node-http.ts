// What the service uses of node:http. An import of node:http also loads all that Node has for fetch and WebSocket:
// 50 ms of CPU time at each start, in Node 24.

export const { createServer, METHODS, STATUS_CODES } = process.getBuiltinModule("node:http");
