// Draws the plot of docs/performance.md: for each scenario, a bar for each server's CPU time per request, with the
// range of its rounds. The colors are legible on light and on dark pages.

import { figuresOf, find, names, type Results, valuesOf } from "./results.ts";

const [width, labelWidth, barHeight, groupGap, top] = [820, 210, 13, 12, 48] as const;
const servers = [names.nginx, names.bare, names.ours, names.plain];
const style = `
	text { font: 12px system-ui, sans-serif; fill: #1f2328 }
	.s0 { fill: #8c959f } .s1 { fill: #57606a } .s2 { fill: #0969da } .s3 { fill: #bc4c00 }
	.range { stroke: #1f2328; stroke-width: 1.5 }
	@media (prefers-color-scheme: dark) {
		text { fill: #e6edf3 }
		.s0 { fill: #6e7681 } .s1 { fill: #adbac7 } .s2 { fill: #58a6ff } .s3 { fill: #f0883e }
		.range { stroke: #e6edf3 }
	}`;

/** An SVG picture. */
export function plot({ measurements, about }: Results): string {
	const groups = [...new Set(measurements.map(({ what }) => what))].map((what) =>
		servers.flatMap((who, index) => {
			const found = find(measurements, what, who);
			return found ? [{ what, index, figures: figuresOf(valuesOf(found, "cpuMicros")) }] : [];
		}),
	);
	const most = Math.max(...groups.flat().map(({ figures }) => figures.max));
	const x = (micros: number) => labelWidth + (micros / most) * (width - labelWidth - 60);
	let y = top;
	const bars = groups.map((bars) => {
		const label = text(labelWidth - 8, y + (bars.length * barHeight) / 2 + 4, bars[0]?.what ?? "", "end");
		const drawn = bars.map(({ index, figures }, row) => bar(index, figures, y + row * barHeight, x));
		y += bars.length * barHeight + groupGap;
		return label + drawn.join("");
	});
	const title = text(8, 16, "CPU time per request, µs: median and range of the rounds (less is better)");
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y}" role="img">
<title>CPU time per request of each server, by scenario. ${escaped(about)}</title>
<style>${style}
</style>
${title}${legend()}
${bars.join("\n")}
</svg>
`;
}

function bar(
	index: number,
	{ median, min, max }: { median: number; min: number; max: number },
	y: number,
	x: (micros: number) => number,
): string {
	const rectangle = `<rect class="s${index}" x="${labelWidth}" y="${y}" width="${round(x(median) - labelWidth)}" height="${barHeight - 2}"/>`;
	const middle = y + barHeight / 2 - 1;
	const range = `<line class="range" x1="${round(x(min))}" x2="${round(x(max))}" y1="${middle}" y2="${middle}"/>`;
	return rectangle + range + text(round(x(max)) + 6, y + barHeight - 3, median.toFixed(1));
}

function legend(): string {
	return servers
		.map((who, index) => {
			const x = labelWidth + index * 145;
			return `<rect class="s${index}" x="${x}" y="26" width="11" height="11"/>${text(x + 16, 36, who)}`;
		})
		.join("");
}

function text(x: number, y: number, content: string, anchor = "start"): string {
	return `<text x="${x}" y="${y}" text-anchor="${anchor}">${escaped(content)}</text>`;
}

function escaped(content: string): string {
	return content.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

function round(value: number): number {
	return Math.round(value * 10) / 10;
}
