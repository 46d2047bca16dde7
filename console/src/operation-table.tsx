// What each operation does now.

import { rounded } from "./charts.ts";
import { operationLabels, type Pace, percentile, sum } from "./rates.ts";

export function OperationTable({ pace, upToMs }: { pace: Pace | undefined; upToMs: number[] }) {
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
		<section class="operations" aria-label="By operation" tabIndex={0}>
			<h2>By operation, now</h2>
			<table>
				<thead>
					<tr>
						<th scope="col">Operation</th>
						{["Requests/s", "Refused/s", "Failed/s", "p50 ms", "p99 ms"].map((head) => (
							<th key={head} scope="col" class="n">
								{head}
							</th>
						))}
					</tr>
				</thead>
				<tbody>
					{operationLabels.map((name) => (
						<tr key={name}>
							<th scope="row">
								<code>{name}</code>
							</th>
							{figuresOf(pace, name, upToMs).map((figure, index) => (
								<td key={index} class={`n ${index === 2 && figure !== "0" && figure !== "–" ? "bad" : ""}`}>
									{figure}
								</td>
							))}
						</tr>
					))}
				</tbody>
			</table>
		</section>
	);
}

function figuresOf(pace: Pace | undefined, name: (typeof operationLabels)[number], upToMs: number[]): string[] {
	const counts = pace?.operations[name];
	if (!counts) return ["–", "–", "–", "–", "–"];
	const { requests, latency } = counts;
	const ofLatency = (share: number) => rounded(percentile(upToMs, latency, share));
	const rates = [sum(Object.values(requests)), requests["4xx"], requests["5xx"]];
	return [...rates.map(rounded), ofLatency(0.5), ofLatency(0.99)];
}
