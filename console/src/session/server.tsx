// The Server view: replies per minute and their p95 duration, as charts and as a table, from the node that answers.

import "./server.css";
import { useState } from "preact/hooks";
import type { Minute } from "../../../src/contract/console.ts";
import { TableHead } from "../parts/cells.tsx";
import { Banner, FailureNote, MissingScope, Waiting } from "../parts/notes.tsx";
import { digits } from "../parts/sentences.ts";
import { may, type Session } from "./session.ts";
import type { WatchState } from "./use-watch.ts";

/** A chart has at least this many minutes. Just after the node's start, the left part of the chart is empty. */
const leastMinutes = 30;
const tableMinutes = 15;

interface ServerProps {
	session: Session;
	watch: WatchState;
}

export function Server({ session, watch }: ServerProps) {
	const { value: figures, failure, retryAtMs, reload } = watch;
	const missing = (["metrics:read", "pets:read"] as const).find((scope) => !may(session, scope));
	if (missing) return <MissingScope title="This key may not see the figures of the server" scope={missing} />;
	if (failure !== undefined && retryAtMs === undefined)
		return <FailureNote title="The figures cannot be shown" failure={failure} onRetry={reload} />;
	return (
		<>
			{failure !== undefined && <Banner failure={failure} retryAtMs={retryAtMs} shown="" onRetry={reload} />}
			{figures?.minutes ? <Chart minutes={figures.minutes} /> : <Waiting isPending={failure === undefined} />}
		</>
	);
}

function Chart({ minutes }: { minutes: Minute[] }) {
	const [pointed, setPointed] = useState<number>();
	const columns = Math.max(leastMinutes, minutes.length);
	const first = columns - minutes.length;
	const at = Math.max(0, (pointed ?? columns - 1) - first);
	const minute = minutes[at];
	const leave = () => setPointed(undefined);
	const pointing = {
		onPointerMove: ({ currentTarget, clientX }: PointerEvent) => {
			const { left, width } = (currentTarget as Element).getBoundingClientRect();
			setPointed(Math.min(columns - 1, Math.max(0, Math.floor(((clientX - left) / width) * columns))));
		},
		onKeyDown: ({ key }: KeyboardEvent) => {
			const by = { ArrowLeft: -1, ArrowRight: 1 }[key] ?? 0;
			if (by !== 0) setPointed(Math.min(columns - 1, Math.max(first, (pointed ?? columns - 1) + by)));
		},
		onPointerLeave: leave,
		onBlur: leave,
	};
	return (
		<section class="server" aria-label="Replies per minute">
			<p class="soft">
				Replies of the node that answered, since its start or in the last three hours. Pages and probes are not counted.
			</p>
			<p class="num" aria-live={pointed === undefined ? "off" : "polite"}>
				{minute && `${ageOf(minutes.length - 1 - at)}: ${sentenceOf(minute)}`}
			</p>
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: arrows move through the minutes */}
			<section aria-label="Minutes" tabIndex={0} {...pointing}>
				<Plot title="Replies" unit="" columns={columns} values={minutes.map(({ replies }) => replies)} isBars />
				<Plot title="p95" unit=" ms" columns={columns} values={minutes.map(({ p95Ms }) => p95Ms)} />
			</section>
			<p class="ends soft">
				<span>{ageOf(columns - 1)}</span>
				<span>now</span>
			</p>
			<AsTable minutes={minutes} />
		</section>
	);
}

interface PlotProps {
	title: string;
	unit: string;
	columns: number;
	/** One value for each minute; the values fill the last columns of the chart. */
	values: (number | undefined)[];
	isBars?: boolean;
}

const height = 100;

function Plot({ title, unit, columns, values, isBars = false }: PlotProps) {
	const most = Math.max(...values.map((value) => value ?? 0));
	const path = values.map((value, index) => {
		if (value === undefined) return "";
		const x = columns - values.length + index;
		const y = (height * (1 - value / (most || 1))).toFixed(1);
		return isBars ? `M${x + 0.1} ${height}V${y}h.8V${height}` : `M${x + 0.1} ${y}h.8`;
	});
	const label = `${title} per minute: at most ${rounded(most)}${unit}`;
	return (
		<figure>
			<figcaption>
				{title}
				<span class="soft num">
					at most {rounded(most)}
					{unit}
				</span>
			</figcaption>
			<svg viewBox={`0 0 ${columns} ${height}`} preserveAspectRatio="none" role="img" aria-label={label}>
				<path class={isBars ? "bars" : "marks"} d={path.join("")} />
			</svg>
		</figure>
	);
}

/** The figures as a table, for people who cannot see the chart. */
function AsTable({ minutes }: { minutes: Minute[] }) {
	return (
		<details>
			<summary>The last minutes as a table</summary>
			<table>
				<TableHead columns={{ Minute: "", Replies: "n", p95: "n" }} />
				<tbody>
					{minutes
						.slice(-tableMinutes)
						.reverse()
						.map(({ replies, p95Ms }, age) => (
							<tr key={age}>
								<th scope="row">{ageOf(age)}</th>
								<td class="n">{digits.format(replies)}</td>
								<td class="n">{p95Ms === undefined ? "–" : `${rounded(p95Ms)} ms`}</td>
							</tr>
						))}
				</tbody>
			</table>
		</details>
	);
}

function ageOf(minutes: number): string {
	return minutes === 0 ? "This minute" : `${minutes} min ago`;
}

function sentenceOf({ replies, p95Ms }: Minute): string {
	const count = `${digits.format(replies)} ${replies === 1 ? "reply" : "replies"}`;
	return p95Ms === undefined ? count : `${count}, 95 % within ${rounded(p95Ms)} ms`;
}

const figure = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });

function rounded(value: number): string {
	return value >= 100 ? digits.format(Math.round(value)) : figure.format(value);
}
