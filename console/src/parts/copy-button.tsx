// A button that copies text and confirms it. The palette has the same command.

import { useEffect, useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { useCommands } from "./shortcuts.ts";

const copiedMs = 2_000;

/** Copies to the clipboard. @returns false over plain http, where pages have no clipboard and show the text */
export async function copied(text: string): Promise<boolean> {
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch {
		return false;
	}
}

export function CopyButton({ label, text }: { label: string; text: string }) {
	const [outcome, setOutcome] = useState<"copied" | "shown">();
	useEffect(() => setOutcome(undefined), [text]);
	useEffect(() => {
		if (outcome !== "copied") return;
		const timer = setTimeout(setOutcome, copiedMs, undefined);
		return () => clearTimeout(timer);
	}, [outcome]);

	const copy = async () => setOutcome((await copied(text)) ? "copied" : "shown");
	useCommands(() => [{ label, run: copy }]);
	return (
		<>
			<Button label={outcome === "copied" ? "Copied" : label} onClick={copy} />
			<span class="hidden" role="status">
				{outcome === "copied" && `${label}: copied`}
			</span>
			{outcome === "shown" && <TextToCopy label="Copy this" text={text} />}
		</>
	);
}

export function TextToCopy({ label, text }: { label: string; text: string }) {
	return (
		<label class="wide">
			{label} <input readOnly value={text} onFocus={(event) => event.currentTarget.select()} />
		</label>
	);
}
