// Unpacks the Chromium from npm for a run of the tests, with its libraries and fonts, on which a page's layout depends.
// TEST_CHROMIUM names another executable, or the folder of a Chromium that is unpacked already.

import { execFileSync } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium, type LaunchOptions } from "playwright-core";

/** The package unpacks into TMPDIR. It unpacks its libraries only on AWS Lambda, so AWS_EXECUTION_ENV simulates it. */
export async function unpackChromium(folder: string): Promise<void> {
	const before = { TMPDIR: process.env["TMPDIR"], AWS_EXECUTION_ENV: process.env["AWS_EXECUTION_ENV"] };
	Object.assign(process.env, { TMPDIR: folder, AWS_EXECUTION_ENV: "nodejs24.x" });
	try {
		const { default: chromium } = await import("@sparticuz/chromium");
		await chromium.executablePath();
		// The package configures fixed font folders. If Chromium finds no font, text has no size and pages crash.
		const fonts = `<fontconfig><dir>${join(folder, "fonts")}</dir><cachedir>${join(folder, "cache")}</cachedir></fontconfig>`;
		writeFileSync(join(folder, "fonts.conf"), `<?xml version="1.0"?>${fonts}`);
	} finally {
		for (const [name, value] of Object.entries(before)) {
			if (value === undefined) delete process.env[name];
			else process.env[name] = value;
		}
	}
}

const quiet = [
	"--no-sandbox",
	"--disable-quic",
	"--disable-background-networking",
	"--disable-component-update",
	"--disable-sync",
	// Otherwise, Chromium also starts a process that no page uses for each page.
	"--renderer-process-limit=1",
];

/** Starts the Chromium at the path: an executable, or the folder of an unpacked Chromium. */
export function startChromium(path: string): Promise<Browser> {
	const { args = [], ...options } = launchOptions(path);
	return chromium.launch({ ...options, args: [...quiet, ...args] });
}

function launchOptions(path: string): LaunchOptions {
	if (statSync(path).isFile()) return { executablePath: path };
	const executablePath = join(path, "chromium");
	const misses = execFileSync("ldd", [executablePath], { encoding: "utf8" }).includes("not found");
	const own = {
		FONTCONFIG_FILE: join(path, "fonts.conf"),
		...(misses && { LD_LIBRARY_PATH: join(path, "al2023", "lib") }),
	};
	const env = { ...process.env, ...own } as Record<string, string>;
	return { executablePath, env, args: ["--headless=shell", "--no-zygote"] };
}
