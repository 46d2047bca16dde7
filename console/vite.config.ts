// Builds the console: `vite build console` writes dist/console, which the service serves at /console. `vite console`
// serves the sources and forwards requests to a service on port 8080.

import { defineConfig } from "vite";

const service = "http://127.0.0.1:8080";

export default defineConfig({
	// All addresses are relative, so that the console works below any prefix that a proxy adds.
	base: "./",
	experimental: {
		// The page is at …/console, without a final slash.
		renderBuiltUrl: (file, { hostType }) => (hostType === "html" ? `console/${file}` : { relative: true }),
	},
	build: {
		outDir: "../dist/console",
		emptyOutDir: true,
		target: "es2022",
		// Browsers without modulepreload (before Firefox 115 and Safari 17) load without preloading.
		modulePreload: { polyfill: false },
		assetsInlineLimit: 0,
		rolldownOptions: {
			// The entry point and all its imports are one file: otherwise, the first load would need more files.
			output: { codeSplitting: { groups: [{ name: "console", test: /src\/main\.tsx/ }] } },
		},
	},
	server: { proxy: { "^/(v1|docs|console)/": service } },
});
