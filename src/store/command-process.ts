// Runs a command of `animal-store` in a process of its own: work on the files of a store that the service has open. A
// second descriptor in the service's process would end the locks of its first one when it is closed.

import { type ChildProcess, execFile } from "node:child_process";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const program = fileURLToPath(new URL(`../main${extname(import.meta.url)}`, import.meta.url));

/**
 * @param environment with DATABASE_URL: a command line is visible to other users
 * @returns the process, and its output, which rejects with the sentence of the command, or how its process ended
 */
export function runCommand(
	parameters: string[],
	environment: NodeJS.ProcessEnv,
): { child: ChildProcess; output: Promise<string> } {
	const running = promisify(execFile)(process.execPath, [program, ...parameters], {
		env: environment,
		windowsHide: true,
	});
	const output = running.then(
		({ stdout }) => stdout,
		({ stderr, signal, code }) => {
			const sentence = stderr.trim().replace(/^.*animal-store: /, "");
			throw new Error(sentence || `the ${parameters[0]} ended with ${signal ?? code}`);
		},
	);
	return { child: running.child, output };
}
