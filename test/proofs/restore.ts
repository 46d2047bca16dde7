// Backups restored over a store that was killed, again and again.

import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import type { Proof } from "../support/proof.ts";
import { proveRestores } from "../support/restore-proof.ts";

export const proof: Proof = {
	shows: "a backup restores over a store that was killed, and a copy over it is recognised",
	options: { rounds: { default: "50", text: "backups, each restored over a store that was killed" } },
	prove({ folder, seed, option, after }) {
		const newFolder = () => mkdtempSync(join(folder, "restore-"));
		return proveRestores({ rounds: Number(option("rounds")), seed, context: { after }, newFolder });
	},
};
