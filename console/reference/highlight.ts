// Colours for the code on the reference page, added by highlight.js at build time.

import hljs from "highlight.js";
import type { Html } from "./html.ts";

hljs.configure({ classPrefix: "t-" });

/** @param language as in Markdown or `x-codeSamples`; code without a language has no colours */
export function highlight(code: string, language: string): Html {
	// In highlight.js, "shell" means a session with prompts, and "sh" a script.
	const name = language.toLowerCase().replace("shell", "sh") || "plaintext";
	return { html: hljs.highlight(code, { language: name }).value };
}
