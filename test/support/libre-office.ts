// LibreOffice reads a file, and saves it in another format.

import { execFileSync } from "node:child_process";
import { basename, dirname, extname, join } from "node:path";

/** @param filter of the format, if not its default @returns the path of the new file, in a folder `place` next to the old one */
export function saveAs(path: string, format: string, place: string, filter = ""): string {
	const folder = dirname(path);
	const profile = `-env:UserInstallation=file://${join(folder, "profile")}`;
	const to = ["--convert-to", filter ? `${format}:${filter}` : format, "--outdir", join(folder, place)];
	// Nothing else, such as the fonts of the tests' browser.
	const env = { PATH: process.env["PATH"], HOME: folder };
	execFileSync("soffice", [profile, "--headless", ...to, path], { stdio: "pipe", env });
	return join(folder, place, `${basename(path, extname(path))}.${format}`);
}
