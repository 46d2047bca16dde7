// Loaded before a program: names each module of ours that it loads, on standard error.

import { registerHooks } from "node:module";

registerHooks({
	load(url, context, next) {
		if (!url.includes("/node_modules/") && !url.startsWith("node:")) process.stderr.write(`loaded ${url}\n`);
		return next(url, context);
	},
});
