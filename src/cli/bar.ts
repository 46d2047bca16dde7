// The progress of long work on a terminal: one line of standard error, drawn again in its place.

const width = 30;
const clearToEnd = "\x1b[K";

interface BarStream {
	isTTY: boolean;
	columns: number;
	write(text: string): unknown;
}

/** Draws nothing where standard error is not a terminal. */
export function createBar(stream: BarStream = process.stderr) {
	const write = (text: string) => void (stream.isTTY && stream.write(text));
	return {
		/** @param text what follows the bar and its percentage; a narrow terminal cuts it off */
		draw(done: number, total: number, text: string): void {
			const share = total > 0 ? Math.min(1, done / total) : 0;
			const full = Math.round(share * width);
			const line = `${"█".repeat(full)}${"░".repeat(width - full)} ${Math.floor(100 * share)}% | ${text}`;
			write(`\r${line.slice(0, (stream.columns || 80) - 1)}${clearToEnd}`);
		},
		/** The next output begins below the line. */
		end: () => write("\n"),
		/** Removes the line. */
		clear: () => write(`\r${clearToEnd}`),
	};
}

/** Such as `12 s`, or `3 min` from two minutes on. */
export function secondsOf(seconds: number): string {
	return seconds < 120 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}
