// Reads the metrics of a running service.

import { ask } from "./caller.ts";

export interface Sample {
	name: string;
	labels: Record<string, string>;
	value: number;
}

export function parseMetrics(text: string): Sample[] {
	const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
	return lines.map((line) => {
		const [, name = "", labels = "", value] = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
		const pairs = [...labels.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)];
		return { name, labels: Object.fromEntries(pairs.map(([, label, text]) => [label, text])), value: Number(value) };
	});
}

export async function samplesOf({ opsUrl }: { opsUrl: string }, name: string): Promise<Sample[]> {
	const text = (await ask(`${opsUrl}/metrics`)).body;
	return parseMetrics(text).filter((sample) => sample.name === name);
}

/** The sum of all samples with this name and these labels. */
export async function figureOf(service: { opsUrl: string }, name: string, labels: Record<string, string> = {}) {
	const isMeant = (sample: Sample) => Object.entries(labels).every(([label, text]) => sample.labels[label] === text);
	return (await samplesOf(service, name)).filter(isMeant).reduce((sum, { value }) => sum + value, 0);
}
