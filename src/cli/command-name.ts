// Advice names commands that can be pasted where they are printed.

import { basename } from "node:path";

/** Installed on the PATH, the command has its own name there; in a checkout or a project, npx finds it. */
const [, program = ""] = process.argv;
const isOnPath = basename(program) === "animal-store" && !program.includes("node_modules");
const commandName = isOnPath ? "animal-store" : "npx animal-store";

const commands = "pets|import|export|serve|config|keys|audit|backup|restore|verify|copy|openapi|help|\\[options\\]";
const call = new RegExp(`(?<![\\w/-])(?:npx )?animal-store (?=(?:${commands})(?![\\w-]))`, "g");

/** The text with each call of the command written as it is called here. */
export function adviseAsCalled(text: string): string {
	return text.replace(call, `${commandName} `);
}
