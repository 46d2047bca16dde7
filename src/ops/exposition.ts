// Metric families and the Prometheus text format. Our own, because counting must cost less than a hundredth of a
// request: a series is an array that the caller keeps, and labels are written as text once.

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
	labels?: Labels;
	/** Appended to the name of the family, such as `_sum`. */
	suffix?: string;
	value: number;
}

/** A metric with all its series. */
export interface Family {
	name: string;
	help: string;
	type: "counter" | "gauge" | "histogram";
	/** The names of its labels. */
	labels: readonly string[];
	/** Called for each scrape. A family without samples shows that the figure is unknown. */
	read(): Iterable<Sample> | Promise<Iterable<Sample>>;
}

/** One series of a histogram. */
export interface Series {
	/** Observations by bucket; one more than there are bounds. */
	readonly counts: number[];
	readonly sum: number;
	observe(value: number): void;
}

/** @param bounds ascending upper bounds of the buckets */
export function createSeries(bounds: readonly number[]): Series {
	const counts: number[] = Array.from({ length: bounds.length + 1 }, () => 0);
	let sum = 0;
	return {
		counts,
		get sum() {
			return sum;
		},
		observe(value) {
			let index = 0;
			while (index < bounds.length && value > (bounds[index] as number)) index++;
			(counts[index] as number)++;
			sum += value;
		},
	};
}

/** The samples of a histogram's series, with cumulative buckets. */
export function histogramSamples({ counts, sum }: Series, bounds: readonly number[], labels: Labels = {}): Sample[] {
	let count = 0;
	const buckets = counts.map((own, index): Sample => {
		count += own;
		return { suffix: "_bucket", labels: { ...labels, le: String(bounds[index] ?? "+Inf") }, value: count };
	});
	return [...buckets, { suffix: "_sum", labels, value: sum }, { suffix: "_count", labels, value: count }];
}

/** The bounds of durations. */
export const upToSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** A histogram without labels. */
export function histogram(name: string, help: string, bounds: readonly number[]): Family & Pick<Series, "observe"> {
	const series = createSeries(bounds);
	const read = () => histogramSamples(series, bounds);
	return { name, help, type: "histogram", labels: [], read, observe: series.observe };
}

type Maybe<Value> = Value | undefined | Promise<Value | undefined>;

/** A family with one series; it has none while the value is undefined. */
export function counter(name: string, help: string, value: () => Maybe<number>): Family {
	const read = async () => [await value()].flatMap((found) => (found === undefined ? [] : [{ value: found }]));
	return { name, help, type: "counter", labels: [], read };
}

export function gauge(...family: Parameters<typeof counter>): Family {
	return { ...counter(...family), type: "gauge" };
}

/** A family with a series for each value of a label; it has none while the values are undefined. */
export function counterBy(
	label: string,
	name: string,
	help: string,
	values: () => Maybe<Iterable<[string, number]>>,
): Family {
	const read = async () => [...((await values()) ?? [])].map(([text, value]) => ({ labels: { [label]: text }, value }));
	return { name, help, type: "counter", labels: [label], read };
}

export function gaugeBy(...family: Parameters<typeof counterBy>): Family {
	return { ...counterBy(...family), type: "gauge" };
}

export const contentType = "text/plain; version=0.0.4; charset=utf-8";

/** The body of `/metrics`. */
export async function expose(families: readonly Family[]): Promise<string> {
	return (await Promise.all(families.map(exposeFamily))).join("");
}

async function exposeFamily({ name, help, type, read }: Family): Promise<string> {
	const lines = [`# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`];
	for (const { suffix = "", labels = {}, value } of await read())
		lines.push(`${name}${suffix}${labelText(labels)} ${Number.isFinite(value) ? value : "NaN"}\n`);
	return lines.join("");
}

function labelText(labels: Labels): string {
	const pairs = Object.entries(labels).map(
		([name, value]) => `${name}="${value.replace(/[\\"\n]/g, escapeCharacter)}"`,
	);
	return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

const escapeCharacter = (character: string) => (character === "\n" ? "\\n" : `\\${character}`);
