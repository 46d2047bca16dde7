// Advice names commands that can be pasted where they are printed.

import { existsSync } from "node:fs";

const isCheckout = existsSync(new URL("../../test/run.ts", import.meta.url));

/** `npx animal-store` in a checkout or when npx runs it, otherwise `animal-store`. */
const commandName = isCheckout || process.env["npm_lifecycle_event"] === "npx" ? "npx animal-store" : "animal-store";

const call =
	/(?<![\w/-])(?:npx )?animal-store (?=(?:pets|import|export|serve|keys|backup|restore|copy|openapi|completion|help|\[options\])(?![\w-]))/g;

/** The text with each call of the command written as it is called here. */
export function adviseAsCalled(text: string): string {
	return text.replace(call, `${commandName} `);
}
