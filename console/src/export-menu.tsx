// The menu that exports the animals of the current filter as a file.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Filter } from "../../client/src/contract.ts";
import type { Pet } from "../../src/contract/pet.ts";
import type { ExportFormat } from "../../src/files/formats.ts";
import { saveFile } from "./files.ts";
import { Menu } from "./menu.tsx";
import { countOf, digits, sentenceOf } from "./notes.tsx";
import { describeFilter, filterTexts } from "./route.ts";
import type { Session } from "./session.ts";

const formats: [format: ExportFormat, text: string][] = [
	["xlsx", "Workbook (.xlsx), for spreadsheets"],
	["csv", "CSV"],
	["csv-semicolon", "CSV with semicolons, for Excel in German"],
	["ndjson", "NDJSON, one animal per line"],
	["json", "JSON, one array"],
];

interface ExportState {
	count: number;
	end?: "done" | "failed";
	failure?: unknown;
}

interface ExportProps {
	session: Session;
	filter: Filter;
	/** A search shows only some of the animals that are exported. */
	isSearch: boolean;
}

export function ExportMenu({ session, filter, isSearch }: ExportProps) {
	const [state, setState] = useState<ExportState>();
	const running = useRef(new AbortController());
	useEffect(() => () => running.current.abort(), []);
	const words = describeFilter(filter);
	const isRunning = state !== undefined && state.end === undefined;

	async function run(format: ExportFormat): Promise<void> {
		const controller = new AbortController();
		running.current = controller;
		const what = { filter, format, signal: controller.signal };
		setState({ count: 0 });
		try {
			const count = await exportPets(session, what, (counted) => setState({ count: counted }));
			setState({ count, end: "done" });
		} catch (failure) {
			if (controller.signal.aborted) setState(undefined);
			else setState((before) => ({ count: before?.count ?? 0, end: "failed", failure }));
		}
	}

	return (
		<Menu label={isRunning ? <span class="num">Exporting {digits.format(state.count)} …</span> : "Export"} isQuiet>
			{() => (
				<>
					<p class="soft">
						All animals{words && ` with ${words}`}
						{isSearch && ", not only those found"}
					</p>
					{isRunning ? (
						<button type="button" onClick={() => running.current.abort()}>
							Cancel
						</button>
					) : (
						formats.map(([format, text]) => (
							<button key={format} type="button" onClick={() => run(format)}>
								{text}
							</button>
						))
					)}
					<p role="status">
						{state?.end === "done" && `${countOf(state.count)} exported.`}
						{state?.end === "failed" && `Nothing was saved. ${sentenceOf(state.failure)}`}
					</p>
				</>
			)}
		</Menu>
	);
}

interface ExportOptions {
	filter: Filter;
	format: ExportFormat;
	signal: AbortSignal;
}

/** Saves a file only when it is complete. @returns the number of animals */
async function exportPets(
	{ patientStore }: Session,
	{ filter, format, signal }: ExportOptions,
	onCount: (count: number) => void,
): Promise<number> {
	const { formatPets } = await import("../../src/files/formats.ts");
	let count = 0;
	async function* pages(): AsyncGenerator<Pet[]> {
		for await (const { pets } of patientStore.listPets(filter, { signal }).pages()) {
			yield pets;
			count += pets.length;
			onCount(count);
		}
	}
	const parts: BlobPart[] = [];
	for await (const part of formatPets(pages(), format)) parts.push(part as BlobPart);
	saveFile(
		`${["animals", ...Object.values(filterTexts(filter))].join("-")}.${format.replace("-semicolon", "")}`,
		parts,
	);
	return count;
}
