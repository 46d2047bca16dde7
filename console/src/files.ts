// Saves a text or a workbook as a file of the user.

/** By this mark, spreadsheets recognise UTF-8. */
const byteOrderMark = "\ufeff";

/** @param parts the content, in pieces */
export function saveFile(name: string, parts: BlobPart[]): void {
	const link = document.createElement("a");
	const mark = name.endsWith(".csv") ? [byteOrderMark] : [];
	// Some browsers add .txt to the name of a text.
	const type = name.endsWith(".xlsx") ? "application/octet-stream" : "text/plain";
	link.href = URL.createObjectURL(new Blob([...mark, ...parts], { type }));
	link.download = name;
	link.click();
	// The download has its own reference by then.
	setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
