// The line that reports the outcome of an edit and offers the undo. It disappears after 8 seconds, but stays while it
// has the pointer or the focus. A problem stays until the user closes it.

import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { Button } from "./button.tsx";
import type { Notice } from "./edits.ts";

interface ToastProps {
	notice: Notice | undefined;
	undo: (() => void) | undefined;
	dismiss(): void;
}

const shownMs = 8_000;

export function Toast({ notice, undo, dismiss }: ToastProps) {
	const [isHeld, setIsHeld] = useState(false);
	useLayoutEffect(() => {
		if (!notice || notice.isProblem || isHeld) return;
		const timer = setTimeout(dismiss, shownMs);
		return () => clearTimeout(timer);
	}, [notice, isHeld]);
	useEffect(() => setIsHeld(false), [notice]);
	return (
		<div class="toast-line" role="status">
			{notice && (
				<div
					class="toast"
					onPointerEnter={() => setIsHeld(true)}
					onPointerLeave={({ currentTarget }) => setIsHeld(currentTarget.contains(document.activeElement))}
					onFocusIn={() => setIsHeld(true)}
					onFocusOut={({ currentTarget }) => setIsHeld(currentTarget.matches(":hover"))}
				>
					<p dir="auto">{notice.text}</p>
					{undo && <Button label={["Undo ", <kbd key="z">Ctrl Z</kbd>]} onClick={undo} />}
					{notice.isProblem && <Button label="Close" onClick={dismiss} />}
				</div>
			)}
		</div>
	);
}
