// The menu that exports animals: all animals that match the filter or the search, or the selected animals. The server
// writes the file, and the page saves it when it is complete.

import { useContext, useState } from "preact/hooks";
import type { ExportFormat, ExportOrder } from "../../../src/contract/console.ts";
import { CategoriesContext } from "../categories/categories.ts";
import { Button } from "../parts/button.tsx";
import { Menu } from "../parts/menu.tsx";
import { describeShown, type Shown, shownTexts } from "../parts/route.ts";
import { byteOrderMark, saveFile } from "../parts/save-file.ts";
import { countOf, sentenceOf } from "../parts/sentences.ts";
import { useCommands } from "../parts/shortcuts.ts";
import type { Session } from "../session/session.ts";

type Subject = Shown & Pick<ExportOrder, "ids">;

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
}

export function ExportMenu({ session, subject }: ExportProps) {
	const [isOpen, setIsOpen] = useState(false);
	const [outcome, setOutcome] = useState("");

	async function run(format: ExportFormat): Promise<void> {
		setOutcome("Preparing the file …");
		try {
			setOutcome(`${await download(session, subject, format)} is saved.`);
		} catch (failure) {
			setOutcome(`Nothing was exported. ${sentenceOf(failure)}`);
		}
	}

	const what = describe(subject, useContext(CategoriesContext).labelOf);
	useCommands(() => [{ label: `Export ${what} …`, run: () => setIsOpen(true) }]);
	return (
		<Menu label="Export" title={`Export ${what}`} isOpen={isOpen} setIsOpen={setIsOpen}>
			{formats.map(([format, text]) => (
				<Button key={format} label={text} onClick={() => run(format)} />
			))}
			<p role="status">{outcome}</p>
		</Menu>
	);
}

function describe({ ids, ...shown }: Subject, labelOf: (category: string) => string): string {
	if (ids) return `${countOf(ids.length)}, as selected`;
	const words = describeShown(shown, labelOf);
	return words ? `all animals with ${words}` : "all animals";
}

/** @returns the name of the saved file @throws ApiError, NoReply */
async function download({ fetchFile }: Session, { ids, ...shown }: Subject, format: ExportFormat): Promise<string> {
	const order = JSON.stringify({ format, ...shownTexts(shown) });
	// The ids are written as digits, because JSON.stringify cannot write a bigint.
	const body = ids ? `${order.slice(0, -1)},"ids":[${ids.join()}]}` : order;
	const { name, content } = await fetchFile("/console/exports", body);
	saveFile(name, format === "csv" ? new Blob([byteOrderMark, content]) : content);
	return name;
}
