// The settings that a function refuses.

import assert from "node:assert/strict";
import { ConfigError } from "../../src/config.ts";

/** The sentences of the ConfigError that `read` throws; none if it succeeds. */
export function refusals(read: () => unknown): string[] {
	try {
		read();
		return [];
	} catch (error) {
		assert.ok(error instanceof ConfigError);
		return error.message.split("\n");
	}
}
