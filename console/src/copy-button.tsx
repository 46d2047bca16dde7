// A button that copies a text, and confirms it.

import { useEffect, useState } from "preact/hooks";

const copiedMs = 2_000;

interface CopyButtonProps {
	label: string;
	text: string;
	isQuiet?: boolean;
}

export function CopyButton({ label, text, isQuiet = false }: CopyButtonProps) {
	const [outcome, setOutcome] = useState<"copied" | "shown">();
	useEffect(() => setOutcome(undefined), [text]);
	useEffect(() => {
		if (outcome !== "copied") return;
		const timer = setTimeout(setOutcome, copiedMs, undefined);
		return () => clearTimeout(timer);
	}, [outcome]);

	/** Pages over plain http have no clipboard; they show the text instead. */
	async function copy(): Promise<void> {
		try {
			await navigator.clipboard.writeText(text);
			setOutcome("copied");
		} catch {
			setOutcome("shown");
		}
	}

	return (
		<>
			<button type="button" class={isQuiet ? "quiet" : ""} onClick={copy}>
				{outcome === "copied" ? "Copied" : label}
			</button>
			<span class="hidden" role="status">
				{outcome === "copied" && `${label}: copied`}
			</span>
			{outcome === "shown" && (
				<label class="wide">
					Copy this <input readOnly value={text} onFocus={(event) => event.currentTarget.select()} />
				</label>
			)}
		</>
	);
}
