// Numbers and times in words, for people.

/** The number with its noun: "1 animal", "2 animals". */
export function countOf(count: number | bigint, noun: string): string {
	return `${count} ${noun}${Number(count) === 1 ? "" : "s"}`;
}

const units: [unit: string, ms: number][] = [
	["y", 365 * 86_400_000],
	["d", 86_400_000],
	["h", 3_600_000],
	["min", 60_000],
];

/** Such as "2 h ago", "in 90 d" and "just now". */
export function timeFromNow(atMs: number, nowMs: number): string {
	const distanceMs = Math.abs(atMs - nowMs);
	const [unit, unitMs] = units.find(([, ms]) => distanceMs >= ms) ?? [];
	if (unit === undefined || unitMs === undefined) return atMs > nowMs ? "in 1 min" : "just now";
	const count = Math.round(distanceMs / unitMs);
	return atMs > nowMs ? `in ${count} ${unit}` : `${count} ${unit} ago`;
}
