// The menu that exports animals: those of the current filter, those found, or those selected. The server writes the
// file, and the browser downloads it. The palette has each format, too.

import { useState } from "preact/hooks";
import type { Filter } from "../../client/src/contract.ts";
import type { ExportFormat, ExportOrder } from "../../src/contract/console.ts";
import { Menu } from "./menu.tsx";
import { countOf, sentenceOf } from "./notes.tsx";
import { describeFilter, filterTexts } from "./route.ts";
import type { Session } from "./session.ts";
import { useCommands } from "./shortcuts.ts";

type Subject = Filter & Omit<ExportOrder, "format">;

const formats: [format: ExportFormat, text: string][] = [
	["xlsx", "Workbook (.xlsx), for spreadsheets"],
	["csv", "CSV"],
	["csv-semicolon", "CSV with semicolons, for Excel in German"],
	["ndjson", "NDJSON, one animal per line"],
	["json", "JSON, one array"],
];

interface ExportProps {
	session: Session;
	subject: Subject;
	/** Whether another menu is in its place. */
	isCovered?: boolean;
}

export function ExportMenu({ session, subject, isCovered = false }: ExportProps) {
	const [isOpen, setIsOpen] = useState(false);
	const [outcome, setOutcome] = useState("");

	async function run(format: ExportFormat): Promise<void> {
		setIsOpen(true);
		setOutcome("Preparing the file …");
		try {
			await download(session, subject, format);
			setOutcome("The download has begun. Your browser shows its progress.");
		} catch (failure) {
			setOutcome(`Nothing was exported. ${sentenceOf(failure)}`);
		}
	}

	const what = describe(subject);
	useCommands(() =>
		isCovered ? [] : formats.map(([format, text]) => ({ label: `Export ${what}: ${text}`, run: () => run(format) })),
	);
	return (
		<Menu label="Export" isOpen={isOpen} setIsOpen={setIsOpen}>
			<p class="soft">Export {what}</p>
			{formats.map(([format, text]) => (
				<button key={format} type="button" onClick={() => run(format)}>
					{text}
				</button>
			))}
			<p role="status">{outcome}</p>
		</Menu>
	);
}

function describe({ ids, name, ...filter }: Subject): string {
	if (ids) return `${countOf(ids.length)}, as selected`;
	const words = [describeFilter(filter), name && `“${name}” in the name`].filter(Boolean).join(" and ");
	return words ? `all animals with ${words}` : "all animals";
}

/** @throws ApiError, NoReply */
async function download({ ask }: Session, { ids, name, ...filter }: Subject, format: ExportFormat): Promise<void> {
	const order = JSON.stringify({ format, name, ...filterTexts(filter) });
	// Digits, because JSON.stringify does not know bigint.
	const body = ids ? `${order.slice(0, -1)},"ids":[${ids.join()}]}` : order;
	const { path } = (await ask("/console/exports", { body })) as { path: string };
	const link = document.createElement("a");
	link.href = path;
	// Without it, a refusal would replace the page.
	link.download = "";
	link.click();
}
