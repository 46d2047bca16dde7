// Saves a file that the page holds, as a download.

/** The byte order mark by which spreadsheet programs recognise UTF-8. */
export const byteOrderMark = "\ufeff";

export function saveFile(name: string, content: Blob): void {
	const link = document.createElement("a");
	link.href = URL.createObjectURL(content);
	link.download = name;
	link.click();
	// The browser needs the URL until the download has begun.
	setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
