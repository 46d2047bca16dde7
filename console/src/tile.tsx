// One figure, large, with its course as a line behind it.

interface TileProps {
	title: string;
	value: string | undefined;
	unit: string;
	note?: string;
	/** Undefined where nothing is known. */
	line: (number | undefined)[];
	/** The line begins at its least value instead of zero. */
	isFromLeast?: boolean;
}

const width = 200;
const height = 40;

export function Tile({ title, value = "–", unit, note = "", line, isFromLeast = false }: TileProps) {
	return (
		<section class="tile" aria-label={title}>
			<h2>{title}</h2>
			<p class="figure num">
				{value}
				{unit && value !== "–" && <small> {unit}</small>}
			</p>
			<p class="soft num">{note}</p>
			<svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
				<path d={pathOf(line, isFromLeast)} />
			</svg>
		</section>
	);
}

/** A line over the whole width, with a gap where nothing is known. */
function pathOf(line: (number | undefined)[], isFromLeast: boolean): string {
	const known = line.filter((value) => value !== undefined);
	const least = isFromLeast ? Math.min(...known) : 0;
	const span = Math.max(...known) - least || 1;
	const step = width / Math.max(1, line.length - 1);
	let isDrawing = false;
	return line
		.map((value, index) => {
			const command = isDrawing ? "L" : "M";
			isDrawing = value !== undefined;
			if (value === undefined) return "";
			const y = height - 2 - ((value - least) / span) * (height - 4);
			return `${command}${(index * step).toFixed(1)} ${y.toFixed(1)}`;
		})
		.join("");
}
