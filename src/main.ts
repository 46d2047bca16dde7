// The `animal-store` command as a process.

import { report, runCommand } from "./cli/program.ts";

// Help is written without waiting. A reader that closes early, such as `head`, is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
	const isHandled = process.stdout.listenerCount("error") > 1;
	if (!isHandled && error.code !== "EPIPE") report(error);
});

await runCommand(process.argv.slice(2));
