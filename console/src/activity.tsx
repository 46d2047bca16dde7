// The Activity view: current requests, latency, creates, and animals by status.

import "./activity.css";
import { FailureNote, Waiting } from "./notes.tsx";
import { PlotCard, type PlotCardProps } from "./plot-card.tsx";
import type { History, Sample } from "./rates.ts";
import type { Session } from "./session.ts";
import { isForbidden, useWatch } from "./use-watch.ts";

const dashed = [8, 4];
const dotted = [2, 3];
const mixed = [8, 3, 2, 3];

const plots: Pick<PlotCardProps, "title" | "lines">[] = [
	{
		title: "Requests per second",
		lines: [
			{ label: "2xx done", colour: "--line-1", unit: "/s", value: ({ requests }) => requests["2xx"] },
			{
				label: "3xx unchanged",
				colour: "--line-2",
				dash: dotted,
				unit: "/s",
				value: ({ requests }) => requests["3xx"],
			},
			{ label: "4xx refused", colour: "--line-3", dash: dashed, unit: "/s", value: ({ requests }) => requests["4xx"] },
			{ label: "5xx failed", colour: "--line-4", dash: mixed, unit: "/s", value: ({ requests }) => requests["5xx"] },
		],
	},
	{
		title: "Latency in milliseconds",
		lines: [
			{ label: "median (p50)", colour: "--line-1", unit: "ms", value: ({ p50Ms }) => p50Ms },
			{ label: "slowest 1 % (p99)", colour: "--line-3", dash: dashed, unit: "ms", value: ({ p99Ms }) => p99Ms },
		],
	},
	{
		title: "Creates",
		lines: [
			{ label: "animals per second", colour: "--line-1", unit: "/s", value: ({ creates }) => creates },
			{
				label: "animals per commit (right axis)",
				colour: "--line-2",
				dash: dashed,
				unit: "",
				value: ({ meanBatch }) => meanBatch,
				isRight: true,
			},
		],
	},
	{
		title: "Animals by status",
		lines: [
			{ label: "available", colour: "--line-1", unit: "", value: ({ animals }) => animals.available },
			{ label: "pending", colour: "--line-3", dash: dashed, unit: "", value: ({ animals }) => animals.pending },
			{ label: "sold", colour: "--line-2", dash: dotted, unit: "", value: ({ animals }) => animals.sold },
			{ label: "not set", colour: "--line-5", dash: mixed, unit: "", value: ({ animals }) => animals.none },
		],
	},
];

export function Activity({ session, history }: { session: Session; history: History }) {
	const { answers, failure, reload } = useWatch(session, history);
	const { samples } = history;
	const latest = samples.at(-1);
	if (isForbidden(failure)) return <Forbidden failure={failure} />;
	return (
		<>
			{failure !== undefined && <FailureNote title="No new figures" failure={failure} onRetry={reload} />}
			{latest === undefined && <Waiting isPending={failure === undefined} />}
			<p class="quiet">{summaryOf(latest, answers)}</p>
			<div class="plots">
				{plots.map(({ title, lines }) => (
					<PlotCard key={title} title={title} lines={lines} samples={samples} note={noteOn(title, latest)} />
				))}
			</div>
		</>
	);
}

function Forbidden({ failure }: { failure: unknown }) {
	return (
		<FailureNote title="This key may not see the activity" failure={failure}>
			<p>
				It lacks the scope <code>metrics:read</code>. Where the service runs, make a key that has it, and sign in with
				that:
			</p>
			<p>
				<code>npx animal-store keys create --name watch --scopes metrics:read,pets:read</code>
			</p>
		</FailureNote>
	);
}

function summaryOf(latest: Sample | undefined, answers: number): string {
	if (!latest) return answers === 0 ? "" : "A rate needs two readings: the first figures come in two seconds.";
	const nodes = latest.nodes === 1 ? "One node" : `${latest.nodes} nodes together`;
	return `${nodes}, read every two seconds while this page is visible. The last five minutes are shown.`;
}

function noteOn(title: string, latest: Sample | undefined): string | undefined {
	if (title !== "Animals by status" || !latest || latest.animals.isComplete) return undefined;
	return "The first count is still running: these figures rise until it is complete.";
}
