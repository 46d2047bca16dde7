// TLS certificates for tests.

import { generate } from "selfsigned";

/** A certificate for `localhost` that is its own root. */
export async function certificate(): Promise<{ cert: string; private: string }> {
	const altNames = [{ type: 2 as const, value: "localhost" }];
	return generate([{ name: "commonName", value: "localhost" }], {
		keyType: "ec",
		algorithm: "sha256",
		extensions: [
			{ name: "basicConstraints", cA: true },
			{ name: "subjectAltName", altNames },
		],
	});
}
