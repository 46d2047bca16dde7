// uPlot for the console: samples over time, from zero up, in the colours of the page.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Sample } from "./rates.ts";

export interface Line {
	label: string;
	/** A custom property of the page, such as `--accent`. */
	colour: string;
	/** Distinguishes lines without colours, and where they overlap. */
	dash?: number[] | undefined;
	value(sample: Sample): number | undefined;
	/** Such as failures: no line, and no place in the legend, while there are none. */
	isHiddenAtZero?: boolean;
}

export interface Plot {
	/** @param marks moments with an upright line, in milliseconds since 1970 */
	show(samples: Sample[], lines: Line[], marks: number[]): void;
	remove(): void;
}

const height = 220;
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "short", hourCycle: "h23" });
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });

/** @param onPoint called with the index of the sample at the pointer, undefined when the pointer leaves */
export function createPlot(element: HTMLElement, lines: Line[], onPoint: (index: number | undefined) => void): Plot {
	let marks: number[] = [];
	const drawMarks = ({ ctx, bbox, valToPos }: uPlot) => {
		ctx.save();
		ctx.strokeStyle = getComputedStyle(element).getPropertyValue("color");
		ctx.setLineDash([4, 4]);
		ctx.beginPath();
		for (const atMs of marks) {
			const x = Math.round(valToPos(atMs / 1000, "x", true)) + 0.5;
			ctx.moveTo(x, bbox.top);
			ctx.lineTo(x, bbox.top + bbox.height);
		}
		ctx.stroke();
		ctx.restore();
	};
	const options = optionsFor(element, lines, onPoint);
	const plot = new uPlot(
		{ ...options, hooks: { ...options.hooks, draw: [drawMarks] } },
		[[], ...lines.map(() => [])],
		element,
	);
	const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
	resized.observe(element);
	return {
		show(samples, shown, moments) {
			marks = moments;
			plot.setData(dataOf(samples, shown));
		},
		remove() {
			resized.disconnect();
			plot.destroy();
		},
	};
}

function optionsFor(element: HTMLElement, lines: Line[], onPoint: (index: number | undefined) => void): uPlot.Options {
	const colour = (name: string) => getComputedStyle(element).getPropertyValue(name);
	const axis: uPlot.Axis = {
		stroke: colour("--soft"),
		font: "12px system-ui, sans-serif",
		grid: { stroke: colour("--line"), width: 1 },
		ticks: { show: false },
	};
	return {
		width: element.clientWidth,
		height,
		padding: [10, 24, 0, 0],
		legend: { show: false },
		cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
		scales: {
			x: { time: true },
			y: { range: (_plot, _least, most) => [0, (most || 1) * 1.1] },
		},
		axes: [
			{
				...axis,
				space: 80,
				size: 28,
				values: (_plot, splits) => splits.map((seconds) => clock.format(seconds * 1000)),
			},
			{ ...axis, size: 46, values: (_plot, splits) => splits.map((value) => compact.format(value)) },
		],
		series: [
			{},
			...lines.map(({ label, colour: name, dash }) => ({
				label,
				...(dash && { dash }),
				stroke: colour(name),
				width: 2,
				points: { show: false },
			})),
		],
		hooks: { setCursor: [({ cursor }) => onPoint(typeof cursor.idx === "number" ? cursor.idx : undefined)] },
	};
}

/** The columns of uPlot. Where nothing is known there is a gap. */
function dataOf(samples: Sample[], lines: Line[]): uPlot.AlignedData {
	return [
		samples.map(({ atMs }) => atMs / 1000),
		...lines.map(({ value }) => samples.map((sample) => value(sample) ?? null)),
	];
}
