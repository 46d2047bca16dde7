// The Chromium from npm with libraries and fonts, unpacked for a run of the tests if the system has none.

import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const systemChromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
	existsSync,
);

/** The package unpacks into TMPDIR, and its libraries only in a certain cloud, which this simulates. */
export async function unpackChromium(folder: string): Promise<void> {
	const before = { TMPDIR: process.env["TMPDIR"], AWS_EXECUTION_ENV: process.env["AWS_EXECUTION_ENV"] };
	Object.assign(process.env, { TMPDIR: folder, AWS_EXECUTION_ENV: "nodejs24.x" });
	try {
		const { default: chromium } = await import("@sparticuz/chromium");
		await chromium.executablePath();
		// The package's own configuration has fixed paths of fonts. Without any font, text has no size and pages crash.
		const fonts = `<fontconfig><dir>${join(folder, "fonts")}</dir><cachedir>${join(folder, "cache")}</cachedir></fontconfig>`;
		writeFileSync(join(folder, "fonts.conf"), `<?xml version="1.0"?>${fonts}`);
	} finally {
		for (const [name, value] of Object.entries(before)) {
			if (value === undefined) delete process.env[name];
			else process.env[name] = value;
		}
	}
}

/** The options that start the Chromium in this folder. */
export function unpackedChromium(folder: string): { executablePath: string; env: Record<string, string> } {
	const executablePath = join(folder, "chromium");
	const misses = execFileSync("ldd", [executablePath], { encoding: "utf8" }).includes("not found");
	const env = { ...process.env, FONTCONFIG_FILE: join(folder, "fonts.conf") } as Record<string, string>;
	return { executablePath, env: misses ? { ...env, LD_LIBRARY_PATH: join(folder, "al2023", "lib") } : env };
}
