// The first line of the README, and the packages of service and client (test/proofs/install).

import { linux, type Proof, program } from "../support/proof.ts";
import { runTestsOf } from "../support/test-run.ts";

export const proof: Proof = {
	shows:
		"npm ci prints no warning and npm start serves in a clone, with npm 10 and 11; the packages of service and client " +
		"install, and have all files and types",
	needs: [linux, program("git"), program("tar")],
	isOfCheckout: true,
	prove: async ({ say }) => ({ tests: await runTestsOf("install", say) }),
};
