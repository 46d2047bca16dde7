// `animal-store export [FILE]` writes animals, by default all, to a file that `import` can read, or to standard output.

import { createWriteStream } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { extname } from "node:path";
import { pipeline } from "node:stream/promises";
import { type Command, Option } from "commander";
import { type ExportFormat, exportFormats } from "../contract/console.ts";
import type { Filter } from "../contract/filters.ts";
import { filterIn, withFilter } from "./arguments.ts";
import { CommandError, describeError } from "./command-error.ts";
import { type ConnectionOptions, readConnection, withConnection } from "./connection.ts";
import { requestExport } from "./console-requests.ts";
import { interruptible } from "./interrupt.ts";
import { countOf, examples, printResult, say, toStdout } from "./output.ts";

interface ExportOptions extends ConnectionOptions, Filter {
	format?: ExportFormat;
	force?: boolean;
	json?: boolean;
}

const formatOf: Record<string, ExportFormat> = {
	".csv": "csv",
	".xlsx": "xlsx",
	".ndjson": "ndjson",
	".jsonl": "ndjson",
	".json": "json",
};
/** Long enough for a restart of the service, because exports also run on a schedule. */
const restartMs = 60_000;

export function exportCommand(command: Command): void {
	withFilter(command)
		.description("write every animal to a file or to standard output; import reads it")
		.argument("[file]", "a new file; standard output if absent or -")
		.addOption(
			new Option(
				"--format <format>",
				"by default, from the file's extension, or NDJSON on standard output; csv-semicolon is for German Excel",
			).choices(exportFormats),
		)
		.option("--force", "replace the file if it exists")
		.option("--json", "the number of bytes as JSON; needs a file")
		.addHelpText("after", examples("export animals.xlsx", "export --format csv --status sold | gzip > sold.csv.gz"))
		.action(exportPets);
	withConnection(command);
}

async function exportPets(path: string | undefined, options: ExportOptions): Promise<void> {
	const file = path === "-" ? undefined : path;
	const format = options.format ?? (file === undefined ? "ndjson" : formatOf[extname(file).toLowerCase()]);
	if (options.json && file === undefined)
		throw new CommandError("--json needs a file: standard output has the animals; --format json writes them as JSON");
	if (!format)
		throw new CommandError(
			`the format of ${file} is unknown: add --format, or end the name with .csv, .xlsx, .ndjson or .json`,
		);
	const connection = { ...readConnection(options), retryForMs: restartMs };
	const order = { format, ...filterIn(options) };
	let bytes = 0;
	async function* pieces(signal: AbortSignal): AsyncGenerator<Uint8Array> {
		for await (const piece of requestExport(connection, order, signal)) {
			bytes += piece.length;
			yield piece;
		}
	}
	await interruptible("the export is not complete", async (signal) => {
		if (file === undefined) await toStdout(pieces(signal));
		else await toFile(file, pieces(signal), options.force === true);
	});
	if (options.json) printResult(true, { bytes, file }, "");
	else say(`${countOf(bytes, "byte")} exported${file === undefined ? "" : ` to ${file}`}`);
}

/** The file is always a whole export or the earlier file, never a part of an export. */
async function toFile(file: string, pieces: AsyncIterable<string | Uint8Array>, force: boolean): Promise<void> {
	const existing = await stat(file).catch(() => undefined);
	if (existing?.isDirectory()) throw new CommandError(`${file} is a folder: name a file in it`);
	if (existing?.isFile() && !force)
		throw new CommandError(`${file} exists already: name another file, or replace it with --force`);
	// Devices and pipes are written directly, because they cannot be replaced as a whole.
	const isDirect = existing !== undefined && !existing.isFile();
	const part = isDirect ? file : `${file}.part`;
	const options = isDirect ? {} : { flags: "wx", flush: true };
	try {
		if (!isDirect && force) await rm(part, { force: true }); // An old part may be a link to another file.
		await pipeline(pieces, createWriteStream(part, options));
		if (!isDirect) await rename(part, file);
	} catch (error) {
		const { code, syscall = "" } = error as NodeJS.ErrnoException;
		if (code === "EEXIST")
			throw new CommandError(
				`${part} exists: another export is writing it, or one was killed; remove it, or use --force`,
			);
		if (!isDirect) await rm(part, { force: true });
		if (syscall === "open") throw Object.assign(error as Error, { path: file });
		if (syscall !== "write" && syscall !== "fsync") throw error;
		const [why] = describeError(Object.assign(error as Error, { path: file, syscall: "write" }));
		throw new CommandError(`${why}; the export was not kept: free space or name another file, then export again`);
	}
}
