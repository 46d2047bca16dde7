// The Chromium from npm, unpacked for a run of the tests where the system has none, with the libraries and fonts that a bare machine
// may lack.

import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const systemChromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
	existsSync,
);

/** The package unpacks into the folder for temporary files, and its libraries only where it takes itself for a guest of a cloud. */
export async function unpackChromium(folder: string): Promise<void> {
	const before = { TMPDIR: process.env["TMPDIR"], AWS_EXECUTION_ENV: process.env["AWS_EXECUTION_ENV"] };
	Object.assign(process.env, { TMPDIR: folder, AWS_EXECUTION_ENV: "nodejs24.x" });
	try {
		const { default: chromium } = await import("@sparticuz/chromium");
		await chromium.executablePath();
		// The package's own file looks for its fonts in fixed places. Without any font, text has no size and pages crash.
		const fonts = `<fontconfig><dir>${join(folder, "fonts")}</dir><cachedir>${join(folder, "cache")}</cachedir></fontconfig>`;
		writeFileSync(join(folder, "fonts.conf"), `<?xml version="1.0"?>${fonts}`);
	} finally {
		for (const [name, value] of Object.entries(before)) {
			if (value === undefined) delete process.env[name];
			else process.env[name] = value;
		}
	}
}

/** How to start what was unpacked into this folder. */
export function unpackedChromium(folder: string): { executablePath: string; env: Record<string, string> } {
	const executablePath = join(folder, "chromium");
	const misses = execFileSync("ldd", [executablePath], { encoding: "utf8" }).includes("not found");
	const env = { ...process.env, FONTCONFIG_FILE: join(folder, "fonts.conf") } as Record<string, string>;
	return { executablePath, env: misses ? { ...env, LD_LIBRARY_PATH: join(folder, "al2023", "lib") } : env };
}
