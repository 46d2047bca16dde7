// Backups that are restored over the store of a killed service, many times.

import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import type { Proof } from "../support/proof.ts";
import { proveRestores } from "../support/restore-proof.ts";

export const proof: Proof = {
	shows: "a backup is restored over the store of a killed service, and a file copied over it is refused",
	options: { rounds: { default: "50", text: "backups, each restored over the store of a killed service" } },
	prove({ folder, seed, option, after }) {
		const newFolder = () => mkdtempSync(join(folder, "restore-"));
		return proveRestores({ rounds: Number(option("rounds")), seed, context: { after }, newFolder });
	},
};
