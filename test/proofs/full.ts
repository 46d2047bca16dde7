// A real full disk: a small tmpfs that is filled, and made larger.

import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { proveFullDisk } from "../full-disk.ts";
import { listAll } from "../ledger.ts";
import { startProgram } from "../program.ts";
import { linux, type Need, newStore, type Proof, program } from "../proof.ts";

const root: Need = { text: "the right to mount (root)", isMet: () => process.getuid?.() === 0 };

export const proof: Proof = {
	shows: "a full disk refuses creates, reads go on, and creates go on once there is room",
	needs: [linux, root, program("mount")],
	async prove(trial) {
		const place = join(trial.folder, "small");
		mkdirSync(place);
		execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "none", place]);
		trial.after(() => execFileSync("umount", ["-l", place]));
		const { environment, key } = await newStore("full", place);
		const service = await startProgram(trial, environment);
		const makeRoom = () => void execFileSync("mount", ["-o", "remount,size=64m", place]);
		const ledger = await proveFullDisk({ service, key, makeRoom });
		service.process.kill("SIGKILL");
		await service.finished;
		const again = await startProgram(trial, environment);
		ledger.verify(await listAll(again.url, key));
		return { acknowledged: ledger.acknowledged.size, refused: ledger.refused.size };
	},
};
