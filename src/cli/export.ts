// `animal-store export [FILE]`: every animal as a file that `import` reads, or on standard output.

import { createWriteStream } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { extname } from "node:path";
import { pipeline } from "node:stream/promises";
import { Command, Option } from "commander";
import type { AnimalStore, Pet, PetStatus } from "../../client/src/index.ts";
import { type ConnectionOptions, connect, withConnection } from "./connection.ts";
import { type Format, formats, petsText } from "./files/pet-formats.ts";
import { type Interruption, watchInterrupt } from "./interrupt.ts";
import { examples, statusOption } from "./pets.ts";
import { Interrupted, Refusal, sentences } from "./sentences.ts";
import { toStdout } from "./stdout.ts";

interface ExportOptions extends ConnectionOptions {
	status?: PetStatus;
	format?: Format;
	force?: boolean;
}

const formatOf: Record<string, Format> = { ".csv": "csv", ".ndjson": "ndjson", ".jsonl": "ndjson", ".json": "json" };
/** While nobody waits at a prompt, a restart of the service is worth waiting for. */
const retryForMs = 60_000;

export function exportCommand(): Command {
	const command = new Command("export")
		.description("write every animal to a file or to standard output; import reads it again")
		.argument("[file]", "a new file; standard output if absent")
		.addOption(
			new Option("--format <format>", "default: by the file's ending, ndjson on standard output").choices(formats),
		)
		.addOption(statusOption("only animals with this status"))
		.option("--force", "replace the file if it is there")
		.addHelpText("after", examples("export animals.csv", "export --format csv --status sold | gzip > sold.csv.gz"))
		.action(exportPets);
	return withConnection(command);
}

async function exportPets(file: string | undefined, options: ExportOptions): Promise<void> {
	const format = options.format ?? (file === undefined ? "ndjson" : formatOf[extname(file).toLowerCase()]);
	if (!format)
		throw new Refusal(`what format is ${file}? Give --format, or a file that ends with .csv, .ndjson or .json`);
	const store = connect(options, { retryForMs });
	const interruption = watchInterrupt();
	let count = 0;
	async function* pages(): AsyncGenerator<Pet[]> {
		for await (const pets of petPages(store, options.status, interruption)) {
			count += pets.length;
			yield pets;
		}
	}
	try {
		const pieces = petsText(pages(), format);
		if (file === undefined) await toStdout(pieces);
		else await toFile(file, pieces, options.force === true);
	} finally {
		interruption.end();
	}
	console.error(`${count} animals exported${file === undefined ? "" : ` to ${file}`}`);
}

async function* petPages(store: AnimalStore, status: PetStatus | undefined, { requested }: Interruption) {
	try {
		for await (const { pets } of store.listPets({ status }, { signal: requested }).pages()) yield pets;
	} catch (error) {
		throw requested.aborted ? new Interrupted("interrupted: the export is not complete") : error;
	}
}

/** The name stands for a whole export or for what was there before, never for a part. */
async function toFile(file: string, pieces: AsyncIterable<string>, force: boolean): Promise<void> {
	const there = await stat(file).catch(() => undefined);
	// A device or a pipe has no whole to wait for.
	if (there && !there.isFile() && !there.isDirectory()) return written(file, pipeline(pieces, createWriteStream(file)));
	if (there?.isDirectory()) throw new Refusal(`${file} is a folder: name a file in it`);
	if (there && !force) throw new Refusal(`${file} is there already: name another file, or replace it with --force`);
	const part = `${file}.part`;
	const handle = await open(part, force ? "w" : "wx").catch((error: NodeJS.ErrnoException) => {
		if (error.code !== "EEXIST") throw error;
		throw new Refusal(`${part} is there: another export writes it, or one was killed; remove it, or use --force`);
	});
	try {
		await written(file, pipeline(pieces, handle.createWriteStream({ flush: true })));
		await rename(part, file);
	} catch (error) {
		await rm(part, { force: true });
		throw error;
	} finally {
		await handle.close().catch(() => {});
	}
}

async function written(file: string, writing: Promise<void>): Promise<void> {
	await writing.catch((error: NodeJS.ErrnoException) => {
		if (error.syscall !== "write" && error.syscall !== "fsync") throw error;
		const [why] = sentences(Object.assign(error, { path: file, syscall: "write" }));
		throw new Refusal(`${why}; nothing of this export is kept: make room or name a file elsewhere, and export again`);
	});
}
