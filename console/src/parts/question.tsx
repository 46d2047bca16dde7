// A question before an action that cannot be undone. The answer that changes nothing has the focus, so that pressing
// Enter is always safe.

import "./dialogs.css";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "./button.tsx";

interface QuestionProps {
	title: string;
	/** The answer that changes nothing. */
	no: string;
	yes: string;
	/** How the answer that changes something looks. */
	look?: "danger" | "primary";
	onYes(): void;
	onClose(): void;
	children: ComponentChildren;
}

export function Question({ title, no, yes, look = "danger", onYes, onClose, children }: QuestionProps) {
	const dialog = useRef<HTMLDialogElement>(null);
	useLayoutEffect(() => dialog.current?.showModal(), []);
	const close = () => dialog.current?.close();
	function accept(): void {
		close();
		onYes();
	}
	return (
		<dialog
			class="ask"
			role="alertdialog"
			aria-labelledby="ask-heading"
			aria-describedby="ask-text"
			ref={dialog}
			onClose={onClose}
		>
			<h2 id="ask-heading">{title}</h2>
			<p id="ask-text">{children}</p>
			<div class="line wraps actions">
				<Button label={no} onClick={close} />
				<Button class={look} label={yes} onClick={accept} />
			</div>
		</dialog>
	);
}
