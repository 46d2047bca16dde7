#!/usr/bin/env node
// Plain JavaScript that every version of Node can read, so that an old one prints a sentence and not a syntax error.
const [major] = process.versions.node.split(".").map(Number);
if (major < 24) {
	console.error(
		`animal-store needs Node 24 or newer, and this is ${process.version}: ` +
			"start it with npm start or npx animal-store, which bring their own Node.",
	);
	process.exitCode = 1;
} else {
	await import("../src/main.ts");
}
