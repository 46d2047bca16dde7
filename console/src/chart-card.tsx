// One chart: its legend with the values under the pointer or of now, then its lines.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Chart, rounded } from "./charts.ts";
import { clock } from "./notes.tsx";
import { createPlot, type Line, type Plot } from "./plots.ts";
import type { Range, Sample } from "./rates.ts";

interface ChartCardProps extends Chart {
	samples: Sample[];
	range: Range;
	/** Starts of nodes, in milliseconds since 1970. */
	marks: number[];
}

export function ChartCard({ title, unit, lines, samples, range, marks }: ChartCardProps) {
	const place = useRef<HTMLDivElement>(null);
	const plot = useRef<Plot | undefined>(undefined);
	const [pointed, setPointed] = useState<number>();
	const scheme = useColourScheme();
	const shown = lines.filter(({ isHiddenAtZero, value }) => !isHiddenAtZero || samples.some((at) => value(at)));
	const names = shown.map(({ label }) => label).join();
	useEffect(() => {
		if (!place.current) return;
		plot.current = createPlot(place.current, shown, setPointed);
		return () => plot.current?.remove();
	}, [scheme, names]);
	useEffect(() => plot.current?.show(samples, shown, marks), [samples, scheme, names]);
	const sample = (pointed === undefined ? undefined : samples[pointed]) ?? samples.at(-1);
	const rows = shown.map((line) => ({ ...line, figure: figureOf(line, unit, sample) }));
	const minutes = range.rangeMs / 60_000;
	return (
		<section class="chart" aria-label={title}>
			<div class="chart-head">
				<h2>{title}</h2>
				<p class="soft num">{sample && pointed !== undefined ? clock.format(sample.atMs) : "now"}</p>
			</div>
			<ul class="legend">
				{rows.map(({ label, colour, dash, figure }) => (
					<li key={label}>
						<Swatch colour={colour} dash={dash} />
						{label} <b class="num">{figure}</b>
					</li>
				))}
			</ul>
			<div class="plot" role="img" aria-label={`${title}, last ${minutes} minutes. ${sentenceOf(rows)}`} ref={place} />
			{marks.length > 0 && <p class="soft">The dashed upright line is the start of a node.</p>}
		</section>
	);
}

function Swatch({ colour, dash }: Pick<Line, "colour" | "dash">) {
	const style = { stroke: `var(${colour})` };
	return (
		<svg class="swatch" viewBox="0 0 24 4" aria-hidden="true">
			<line x1="0" y1="2" x2="24" y2="2" stroke-width="3" stroke-dasharray={dash?.join(" ")} style={style} />
		</svg>
	);
}

function figureOf({ value }: Line, unit: string, sample: Sample | undefined): string {
	const figure = sample && value(sample);
	return figure === undefined ? "–" : `${rounded(figure)} ${unit}`;
}

function sentenceOf(rows: { label: string; figure: string }[]): string {
	return `Now: ${rows.map(({ label, figure }) => `${label} ${figure === "–" ? "none" : figure}`).join(", ")}`;
}

/** Whether the colour scheme is dark. A change redraws the plots. */
function useColourScheme(): boolean {
	const dark = useMemo(() => matchMedia("(prefers-color-scheme: dark)"), []);
	const [isDark, setIsDark] = useState(dark.matches);
	useEffect(() => {
		const follow = () => setIsDark(dark.matches);
		dark.addEventListener("change", follow);
		return () => dark.removeEventListener("change", follow);
	}, [dark]);
	return isDark;
}
