// Saves a text as a file of the user.

/** By this mark, spreadsheets recognise UTF-8. */
const byteOrderMark = "\ufeff";

/** @param parts the text, in pieces */
export function saveFile(name: string, parts: string[]): void {
	const link = document.createElement("a");
	const mark = name.endsWith(".csv") ? [byteOrderMark] : [];
	link.href = URL.createObjectURL(new Blob([...mark, ...parts], { type: "text/plain" }));
	link.download = name;
	link.click();
	// The download has its own reference by then.
	setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
