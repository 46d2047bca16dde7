// How the console is built: `vite build console` writes dist/console, which the service serves at /console. `vite console` serves
// the sources instead, with a service on port 8080 behind them.

import { defineConfig } from "vite";

const service = "http://127.0.0.1:8080";

export default defineConfig({
	base: "/console/",
	build: {
		outDir: "../dist/console",
		emptyOutDir: true,
		target: "es2022",
		// Its code would be longer than what it mends: all browsers of es2022 know modulepreload.
		modulePreload: { polyfill: false },
		assetsInlineLimit: 0,
	},
	server: { proxy: { "/v1": service, "/console/activity": service } },
});
