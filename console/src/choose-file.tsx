// Takes a file that is dropped or chosen, or a text that is pasted.

import { useLayoutEffect, useState } from "preact/hooks";

interface ChooseFileProps {
	/** In the field for pasted rows. */
	text: string;
	setText(text: string): void;
	onChoose(blob: Blob, name: string): void;
}

export function ChooseFile({ text, setText, onChoose }: ChooseFileProps) {
	const [isOver, setIsOver] = useState(false);
	const choose = (files: FileList | undefined | null) => {
		const [file] = files ?? [];
		if (file) onChoose(file, file.name);
	};
	usePaste((pasted) => onChoose(new Blob([pasted]), "pasted text"), choose);

	return (
		<div class="choose">
			<label
				class={`drop ${isOver ? "over" : ""}`}
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
				<strong>Drop a file here, or choose one</strong>
				<span class="soft">A workbook (.xlsx), CSV as Excel writes it, NDJSON or JSON. Nothing is sent yet.</span>
				<input
					type="file"
					aria-label="File of animals"
					accept=".xlsx,.csv,.tsv,.txt,.json,.ndjson,.jsonl,text/csv,application/json"
					onChange={({ currentTarget }) => choose(currentTarget.files)}
				/>
			</label>
			<form
				method="post"
				onSubmit={(event) => {
					event.preventDefault();
					if (text.trim()) onChoose(new Blob([text]), "pasted text");
				}}
			>
				<label for="paste">Or paste rows, with their header</label>
				<textarea
					id="paste"
					rows={10}
					spellcheck={false}
					placeholder={"name,category,status\nRex,1,available"}
					value={text}
					onInput={({ currentTarget: { value } }) => setText(value)}
				/>
				<button type="submit" aria-disabled={text.trim() === ""}>
					Check these rows
				</button>
			</form>
		</div>
	);
}

/** Rows copied in a spreadsheet can be pasted anywhere on the page. */
function usePaste(onText: (text: string) => void, onFiles: (files: FileList) => void): void {
	useLayoutEffect(() => {
		const listen = ({ clipboardData, target }: ClipboardEvent) => {
			if (!clipboardData || (target instanceof Element && target.matches("input, textarea"))) return;
			if (clipboardData.files.length > 0) return onFiles(clipboardData.files);
			const text = clipboardData.getData("text/plain");
			if (text.trim()) onText(text);
		};
		addEventListener("paste", listen);
		return () => removeEventListener("paste", listen);
	}, []);
}
