// What the charts of the Activity view show, and how its figures are written.

import type { Line } from "./plots.ts";
import { classRate, type History, latencyOf, operationLabels, type Pace, type Sample, sum } from "./rates.ts";

export interface Chart {
	title: string;
	unit: string;
	lines: Line[];
}

const colours = ["--accent", "--blue", "--violet", "--soft"];
const dashes = [undefined, [8, 4], [2, 3], [8, 3, 2, 3], [12, 4]];

const ofPace =
	(value: (pace: Pace) => number | undefined) =>
	({ pace }: Sample) =>
		pace && value(pace);

const failures: Line[] = [
	{
		label: "refused (4xx)",
		colour: "--amber",
		dash: [2, 3],
		value: ofPace((pace) => classRate(pace, "4xx")),
		isHiddenAtZero: true,
	},
	{ label: "failed (5xx)", colour: "--red", value: ofPace((pace) => classRate(pace, "5xx")), isHiddenAtZero: true },
];

/** @param isByNode requests as one line for each node */
export function chartsFor({ upToMs, nodes }: History, isByNode: boolean): Chart[] {
	const perNode = nodes.map((node, index) => ({
		label: `node ${node}`,
		...lookOf(index),
		value: ({ byNode }: Sample) => byNode[node],
	}));
	const perOperation = operationLabels.map((name, index) => ({
		label: name,
		...lookOf(index),
		value: ofPace(({ operations }) => sum(Object.values(operations[name].requests))),
	}));
	const latency = (label: string, share: number, index: number): Line => ({
		label,
		...lookOf(index),
		value: ofPace((pace) => latencyOf(pace, upToMs, share)),
	});
	return [
		{ title: "Requests per second", unit: "/s", lines: [...(isByNode ? perNode : perOperation), ...failures] },
		{ title: "Latency", unit: "ms", lines: [latency("median (p50)", 0.5, 0), latency("slowest 1 % (p99)", 0.99, 2)] },
	];
}

function lookOf(index: number): Pick<Line, "colour" | "dash"> {
	return { colour: colours[index % colours.length] ?? "--text", dash: dashes[index % dashes.length] };
}

/** The pace of the newest sample; undefined while nothing is known of the present. */
export function lastPace(samples: Sample[]): Pace | undefined {
	return samples.at(-1)?.pace;
}

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const figures = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

export function rounded(value: number | undefined): string {
	if (value === undefined) return "–";
	return value >= 100 ? whole.format(value) : figures.format(value);
}
