// The button that copies a link to the current view: filter and page, never the key.

import { useEffect, useState } from "preact/hooks";

export function CopyLink({ hash }: { hash: string }) {
	const [outcome, setOutcome] = useState<"copied" | "shown">();
	useEffect(() => setOutcome(undefined), [hash]);
	const link = new URL(hash, location.href).href;

	/** Pages over plain http have no clipboard; they show the link instead. */
	async function copy(): Promise<void> {
		try {
			await navigator.clipboard.writeText(link);
			setOutcome("copied");
		} catch {
			setOutcome("shown");
		}
	}

	return (
		<>
			<button type="button" onClick={copy}>
				Copy link
			</button>
			<span role="status" class="quiet">
				{outcome === "copied" && "Link copied"}
			</span>
			{outcome === "shown" && (
				<label class="wide">
					Copy this link <input readOnly value={link} onFocus={(event) => event.currentTarget.select()} />
				</label>
			)}
		</>
	);
}
