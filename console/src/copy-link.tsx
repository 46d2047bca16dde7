// A link to what is on the screen. It holds the filter and the place, not the key: whoever opens it signs in with their own.

import { useEffect, useState } from "preact/hooks";

export function CopyLink({ hash }: { hash: string }) {
	const [outcome, setOutcome] = useState<"copied" | "shown">();
	useEffect(() => setOutcome(undefined), [hash]);
	const link = new URL(hash, location.href).href;

	/** Over plain http browsers lend no clipboard to pages: the link is shown instead. */
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
