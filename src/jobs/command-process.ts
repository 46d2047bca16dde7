// Runs an `animal-store` command in a separate process, for work on the files of a store that the service has open. In
// the service's process, closing a second descriptor of a file would release the locks of the first descriptor.

import { execFile } from "node:child_process";
import { addAbortListener } from "node:events";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { compileCacheVariable } from "../store/threads.ts";

const program = fileURLToPath(new URL(`../main${extname(import.meta.url)}`, import.meta.url));

/**
 * @param given contains DATABASE_URL, because a command line is visible to other users
 * @param signal kills the process
 * @returns the command's output @throws Error with the command's message, or with the way its process ended
 */
export async function runCommand(parameters: string[], given: NodeJS.ProcessEnv, signal: AbortSignal): Promise<string> {
	const env = { ...compileCacheVariable(), ...given };
	const running = promisify(execFile)(process.execPath, [program, ...parameters], { env, windowsHide: true });
	const killing = addAbortListener(signal, () => running.child.kill("SIGKILL"));
	try {
		return (await running).stdout;
	} catch (error) {
		const { stderr, signal: killedBy, code } = error as { stderr: string; signal?: string; code?: number };
		const sentence = stderr.trim().replace(/^.*animal-store: /s, "");
		throw new Error(sentence || `the ${parameters[0]} ended with ${killedBy ?? code}`);
	} finally {
		killing[Symbol.dispose]();
	}
}
