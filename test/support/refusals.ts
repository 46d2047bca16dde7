// What the reader of settings refuses.

import assert from "node:assert/strict";
import { ConfigError } from "../../src/config.ts";

/** The sentences of its ConfigError; none if it succeeds. */
export function refusals(read: () => unknown): string[] {
	try {
		read();
		return [];
	} catch (error) {
		assert.ok(error instanceof ConfigError);
		return error.message.split("\n");
	}
}
