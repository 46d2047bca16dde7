// Step 1 of adding many: takes a file that is dropped or chosen, or rows that are pasted.

import { useLayoutEffect, useState } from "preact/hooks";
import { Button } from "../parts/button.tsx";
import { Form } from "../parts/fields.tsx";
import { Problem } from "../parts/notes.tsx";
import { ctrl } from "../parts/shortcuts.ts";
import { Step } from "./steps.tsx";

interface ChooseFileProps {
	text: string;
	setText(text: string): void;
	onChoose(blob: Blob, name: string): void;
	/** The reason why the last file could not be read, or a note while a file is being read. */
	note: string | undefined;
}

export function ChooseFile({ text, setText, onChoose, note }: ChooseFileProps) {
	const [isPasting, setIsPasting] = useState(text !== "");
	const choosePasted = (pasted: string) => pasted.trim() && onChoose(new Blob([pasted]), "pasted rows");
	const choose = (files: FileList | undefined | null) => {
		const [file] = files ?? [];
		if (file) onChoose(file, file.name);
	};
	usePaste(choosePasted, choose);
	return (
		<Step
			name="File"
			lead={<p class="soft">A list from Excel, Google Sheets or another program, as it is.</p>}
			note={
				<>
					<Problem>{note}</Problem>
					<p>Nothing is added before you have checked it.</p>
				</>
			}
		>
			{isPasting ? (
				<PasteRows text={text} setText={setText} onDone={choosePasted} onClose={() => setIsPasting(false)} />
			) : (
				<DropZone choose={choose} onPaste={() => setIsPasting(true)} />
			)}
		</Step>
	);
}

interface DropZoneProps {
	choose(files: FileList | undefined | null): void;
	onPaste(): void;
}

function DropZone({ choose, onPaste }: DropZoneProps) {
	const [isOver, setIsOver] = useState(false);
	return (
		<>
			<label
				class={`stack drop ${isOver ? "over" : ""}`}
				onDragOver={(event) => {
					event.preventDefault();
					setIsOver(true);
				}}
				onDragLeave={() => setIsOver(false)}
				onDrop={(event) => {
					event.preventDefault();
					setIsOver(false);
					choose(event.dataTransfer?.files);
				}}
			>
				<svg viewBox="0 0 48 48" aria-hidden="true">
					<path d="M10 26V8a2 2 0 0 1 2-2h24a2 2 0 0 1 2 2v18M10 14h28M10 21h28M20 14v10" />
					<path d="M6 30h10l2 4h12l2-4h10v10a2 2 0 0 1-2 2H8a2 2 0 0 1-2-2z" />
				</svg>
				<strong>Drop your list here</strong>
				<span class="soft">
					Excel (.xlsx), CSV, JSON or NDJSON. Or copy rows in your spreadsheet and paste them
					<span class="wide-only">
						{" "}
						with <kbd>{ctrl} V</kbd>
					</span>
				</span>
				<span class="button primary">Choose a file</span>
				<input
					class="hidden"
					type="file"
					aria-label="Choose a file of animals"
					accept=".xlsx,.csv,.tsv,.txt,.json,.ndjson,.jsonl,text/csv,application/json"
					onChange={({ currentTarget }) => choose(currentTarget.files)}
				/>
			</label>
			<Button class="quiet" label="Paste rows" onClick={onPaste} />
		</>
	);
}

interface PasteRowsProps {
	text: string;
	setText(text: string): void;
	onDone(text: string): void;
	onClose(): void;
}

function PasteRows({ text, setText, onDone, onClose }: PasteRowsProps) {
	return (
		<Form class="stack" onSubmit={() => onDone(text)}>
			<label for="paste">Rows, with their heading</label>
			<textarea
				id="paste"
				rows={10}
				spellcheck={false}
				placeholder={"name,category,status\nRex,Dog,available"}
				value={text}
				onInput={({ currentTarget: { value } }) => setText(value)}
				ref={focus}
			/>
			<div class="line wraps actions">
				<button type="submit" class="primary" aria-disabled={text.trim() === ""}>
					Check these rows
				</button>
				<Button class="quiet" label="Choose a file instead" onClick={onClose} />
			</div>
		</Form>
	);
}

const focus = (field: HTMLTextAreaElement | null) => field?.focus();

/** Rows copied in a spreadsheet program can be pasted anywhere on the page. */
function usePaste(onText: (text: string) => void, onFiles: (files: FileList) => void): void {
	useLayoutEffect(() => {
		const listen = ({ clipboardData, target }: ClipboardEvent) => {
			if (!clipboardData || (target instanceof Element && target.matches("input:not([type=file]), textarea"))) return;
			if (clipboardData.files.length > 0) onFiles(clipboardData.files);
			else onText(clipboardData.getData("text/plain"));
		};
		addEventListener("paste", listen);
		return () => removeEventListener("paste", listen);
	}, []);
}
