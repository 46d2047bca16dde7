// One plot, with the same figures as text for people who cannot see it.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { createPlot, type Line, type Plot } from "./plots.ts";
import type { Sample } from "./rates.ts";

export interface PlotCardProps {
	title: string;
	lines: (Line & { unit: string })[];
	samples: Sample[];
	note?: string | undefined;
}

const figures = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

export function PlotCard({ title, lines, samples, note }: PlotCardProps) {
	const place = useRef<HTMLDivElement>(null);
	const plot = useRef<Plot | undefined>(undefined);
	const [pointedMs, setPointedMs] = useState<number>();
	const scheme = useColourScheme();
	useEffect(() => {
		if (!place.current) return;
		plot.current = createPlot(place.current, lines, setPointedMs);
		plot.current.show(samples);
		return () => plot.current?.remove();
	}, [scheme]);
	useEffect(() => plot.current?.show(samples), [samples]);
	const pointed = samples.find(({ atMs }) => atMs === pointedMs);
	const sample = pointed ?? samples.at(-1);
	const rows = lines.map((line) => ({ ...line, figure: figureOf(line, sample) }));
	return (
		<section class="card plot" aria-label={title}>
			<h2>{title}</h2>
			<div role="img" aria-label={`${title}, last five minutes. ${sentenceOf(rows)}`} ref={place} />
			<table>
				<caption class="quiet">{pointed ? clock.format(pointed.atMs) : "Now"}</caption>
				<thead class="hidden">
					<tr>
						<th scope="col">Line</th>
						<th scope="col">Value</th>
					</tr>
				</thead>
				<tbody>
					{rows.map(({ label, colour, figure, dash }) => (
						<tr key={label}>
							<th scope="row">
								<Swatch colour={colour} dash={dash} />
								{label}
							</th>
							<td class="number">{figure}</td>
						</tr>
					))}
				</tbody>
			</table>
			{note && <p class="quiet">{note}</p>}
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

function figureOf({ value, unit }: PlotCardProps["lines"][number], sample: Sample | undefined): string {
	const figure = sample && value(sample);
	return figure === undefined ? "–" : `${figures.format(figure)}${unit && ` ${unit}`}`;
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
