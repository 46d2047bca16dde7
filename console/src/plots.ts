// uPlot for the console: the last five minutes, from zero up, in the colours of the page.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Sample } from "./rates.ts";

export interface Line {
	label: string;
	/** A custom property of the page, such as `--line-1`. */
	colour: string;
	/** Distinguishes lines without colours. */
	dash?: number[];
	value(sample: Sample): number | undefined;
	/** Uses the right axis, for figures of another unit. */
	isRight?: boolean;
}

export interface Plot {
	show(samples: Sample[]): void;
	remove(): void;
}

const height = 200;
/** The x axis spans at least this, so that the first figures are visible. */
const shortestMs = 30_000;
/** A longer pause between samples, as when the page was hidden, shows as a gap. */
const gapMs = 12_000;
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium", hourCycle: "h23" });
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });

/** @param onPoint called with the time of the sample at the pointer, undefined when the pointer leaves */
export function createPlot(element: HTMLElement, lines: Line[], onPoint: (atMs: number | undefined) => void): Plot {
	const plot = new uPlot(optionsFor(element, lines, onPoint), emptyData(lines), element);
	const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
	resized.observe(element);
	return {
		show: (samples) => plot.setData(dataOf(samples, lines)),
		remove() {
			resized.disconnect();
			plot.destroy();
		},
	};
}

function optionsFor(element: HTMLElement, lines: Line[], onPoint: (atMs: number | undefined) => void): uPlot.Options {
	const colour = (name: string) => getComputedStyle(element).getPropertyValue(name);
	const axis: uPlot.Axis = {
		stroke: colour("--muted"),
		font: "12px system-ui, sans-serif",
		grid: { stroke: colour("--hairline"), width: 1 },
		ticks: { show: false },
	};
	const upwards: uPlot.Axis = {
		...axis,
		size: 46,
		values: (_plot, splits) => splits.map((value) => compact.format(value)),
	};
	const fromZero: uPlot.Scale = { range: (_plot, _least, most) => [0, (most || 1) * 1.1] };
	return {
		width: element.clientWidth,
		height,
		padding: [10, 30, 0, 0],
		legend: { show: false },
		cursor: { y: false, drag: { x: false, y: false } },
		scales: {
			x: { time: true, range: (_plot, first, last) => [Math.min(first, last - shortestMs / 1000), last] },
			y: fromZero,
			right: fromZero,
		},
		axes: [
			{
				...axis,
				space: 76,
				size: 32,
				values: (_plot, splits) => splits.map((seconds) => clock.format(seconds * 1000)),
			},
			upwards,
			...(lines.some(({ isRight }) => isRight)
				? [{ ...upwards, scale: "right", side: 1, grid: { show: false } } satisfies uPlot.Axis]
				: []),
		],
		series: [
			{},
			...lines.map(({ label, colour: name, dash, isRight }) => ({
				label,
				dash,
				scale: isRight ? "right" : "y",
				stroke: colour(name),
				width: 2,
				points: { show: false },
			})),
		],
		hooks: { setCursor: [({ cursor, data }) => onPoint(momentAt(data, cursor.idx))] },
	};
}

function momentAt(data: uPlot.AlignedData, index: number | null | undefined): number | undefined {
	const seconds = typeof index === "number" ? data[0][index] : undefined;
	return seconds === undefined ? undefined : Math.round(seconds * 1000);
}

function emptyData(lines: Line[]): uPlot.AlignedData {
	return [[], ...lines.map(() => [])];
}

/** The columns of uPlot. An empty moment in each gap prevents a line across it. */
function dataOf(samples: Sample[], lines: Line[]): uPlot.AlignedData {
	const moments = samples.flatMap((sample, index) => {
		const before = samples[index - 1];
		const isGap = before !== undefined && sample.atMs - before.atMs > gapMs;
		return isGap ? [{ atMs: before.atMs + 1 }, sample] : [sample];
	});
	return [
		moments.map(({ atMs }) => atMs / 1000),
		...lines.map(({ value }) => moments.map((moment) => ("requests" in moment ? (value(moment) ?? null) : null))),
	];
}
