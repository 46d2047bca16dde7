// The Activity view: what the service does now, and what it did in the last five minutes or the last hour.

import "./activity.css";
import { useState } from "preact/hooks";
import { ChartCard } from "./chart-card.tsx";
import { chartsFor, lastPace, rounded } from "./charts.ts";
import { Banner, clock, digits, FailureNote, MissingScope } from "./notes.tsx";
import { OperationTable } from "./operation-table.tsx";
import { type History, latencyOf, type Pace, type Range, ranges, requestRate, type Sample } from "./rates.ts";
import type { Session } from "./session.ts";
import { Tile } from "./tile.tsx";
import { may, type WatchState } from "./use-watch.ts";

export interface ActivityProps {
	session: Session;
	history: History;
	watch: WatchState;
}

type RangeName = keyof typeof ranges;

export function Activity({ session, history, watch }: ActivityProps) {
	const [rangeName, setRangeName] = useState<RangeName>("5 min");
	const [isByNode, setIsByNode] = useState(false);
	if (!may(session, "metrics:read"))
		return <MissingScope title="This key may not see the activity" scope="metrics:read" />;
	const { failure, retryAtMs, readings, reload } = watch;
	if (failure !== undefined && retryAtMs === undefined)
		return <FailureNote title="There are no figures" failure={failure} onRetry={reload} />;
	const range: Range = ranges[rangeName];
	const nowMs = Date.now();
	const samples = history.samples(range, nowMs);
	return (
		<>
			{failure !== undefined && <Banner failure={failure} retryAtMs={retryAtMs} shown="" onRetry={reload} />}
			<div class="controls">
				<Choice
					name="Time range"
					options={Object.keys(ranges) as RangeName[]}
					chosen={rangeName}
					choose={(name) => setRangeName(name)}
				/>
				{history.nodes.length > 1 && (
					<Choice
						name="Lines"
						options={["by operation", "by node"] as const}
						chosen={isByNode ? "by node" : "by operation"}
						choose={(option) => setIsByNode(option === "by node")}
					/>
				)}
				<p class="soft" role="status">
					{summaryOf(history, samples, readings)}
				</p>
			</div>
			<Tiles history={history} samples={samples} />
			<div class="charts">
				{chartsFor(history, isByNode).map((chart) => (
					<ChartCard
						key={chart.title}
						{...chart}
						samples={samples}
						range={range}
						marks={history.starts.filter(({ atMs }) => atMs > nowMs - range.rangeMs).map(({ atMs }) => atMs)}
					/>
				))}
			</div>
			<OperationTable pace={lastPace(samples)} upToMs={history.upToMs} />
			<AsTable samples={samples} upToMs={history.upToMs} />
		</>
	);
}

interface ChoiceProps<T extends string> {
	name: string;
	options: readonly T[];
	chosen: T;
	choose(option: T): void;
}

function Choice<T extends string>({ name, options, chosen, choose }: ChoiceProps<T>) {
	return (
		<fieldset class="chips" aria-label={name}>
			{options.map((option) => (
				<button key={option} type="button" class="chip" aria-pressed={option === chosen} onClick={() => choose(option)}>
					{option}
				</button>
			))}
		</fieldset>
	);
}

function summaryOf({ nodes, starts }: History, samples: Sample[], readings: number): string {
	if (readings === 0) return "";
	const active = Object.keys(samples.findLast(({ pace }) => pace)?.byNode ?? {}).length;
	if (active === 0) return "A rate needs two readings: the first figures come in two seconds.";
	const answering = active === 1 ? "One node answers" : `${active} nodes answer`;
	const since = nodes.length === 1 && starts[0] ? `, running since ${startText(starts[0].atMs)}` : "";
	return `${answering}${since}. Read every two seconds.`;
}

const dayAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });

function startText(atMs: number): string {
	return Date.now() - atMs < 86_400_000 ? clock.format(atMs) : dayAndTime.format(atMs);
}

function Tiles({ history, samples }: { history: History; samples: Sample[] }) {
	const pace = lastPace(samples);
	const of = (value: (pace: Pace) => number | undefined) => samples.map((sample) => sample.pace && value(sample.pace));
	const total = history.animals && digits.format(totalOf(history));
	const perCommit = pace && pace.batches > 0 ? `${rounded(pace.animals / pace.batches)} per commit` : "";
	const p99 = (at: Pace) => latencyOf(at, history.upToMs, 0.99);
	return (
		<div class="tiles">
			<Tile title="Requests" value={pace && rounded(requestRate(pace))} unit="/s" line={of(requestRate)} />
			<Tile title="Slowest 1 % (p99)" value={pace && rounded(p99(pace))} unit="ms" line={of(p99)} />
			<Tile
				title="Creates"
				value={pace && rounded(pace.animals)}
				unit="/s"
				note={perCommit}
				line={of(({ animals }) => animals)}
			/>
			<Tile
				title="Animals"
				value={total}
				unit=""
				note={history.animals?.isComplete === false ? "still counting …" : ""}
				line={samples.map(({ animals }) => animals)}
				isFromLeast
			/>
		</div>
	);
}

function totalOf({ animals }: History): number {
	return animals ? animals.available + animals.pending + animals.sold + animals.none : 0;
}

/** The same figures for people who cannot see the charts. */
function AsTable({ samples, upToMs }: { samples: Sample[]; upToMs: number[] }) {
	const [isOpen, setIsOpen] = useState(false);
	const shown = samples.filter((_, index) => (samples.length - 1 - index) % 15 === 0);
	return (
		<details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
			<summary>The same figures as a table</summary>
			{isOpen && (
				<table>
					<thead>
						<tr>
							{["Time", "Requests/s", "p50 ms", "p99 ms", "Creates/s", "Animals"].map((head, index) => (
								<th key={head} scope="col" class={index > 0 ? "n" : ""}>
									{head}
								</th>
							))}
						</tr>
					</thead>
					<tbody>
						{shown.map(({ atMs, pace, animals }) => (
							<tr key={atMs}>
								<th scope="row">{clock.format(atMs)}</th>
								<td class="n">{rounded(pace && requestRate(pace))}</td>
								<td class="n">{rounded(pace && latencyOf(pace, upToMs, 0.5))}</td>
								<td class="n">{rounded(pace && latencyOf(pace, upToMs, 0.99))}</td>
								<td class="n">{rounded(pace?.animals)}</td>
								<td class="n">{animals === undefined ? "–" : digits.format(animals)}</td>
							</tr>
						))}
					</tbody>
				</table>
			)}
		</details>
	);
}
