// Saves a text as a file of the user.

/** @param parts of the text, in their order */
export function saveFile(name: string, parts: string[]): void {
	const link = document.createElement("a");
	link.href = URL.createObjectURL(new Blob(parts, { type: "text/plain" }));
	link.download = name;
	link.click();
	// The download has its own reference by then.
	setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
