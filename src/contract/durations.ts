// Durations and rates as people write them, such as `90d`, `24h` and `100/1m`.

const unitsMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of `30s`, `15m`, `24h` or `90d`; undefined for anything else. */
export function parseDurationMs(text: string): number | undefined {
	const found = /^([1-9][0-9]{0,5})([smhd])$/.exec(text);
	return found ? Number(found[1]) * unitsMs[found[2] as keyof typeof unitsMs] : undefined;
}

export interface Rate {
	requests: number;
	windowSeconds: number;
}

/** Reads `100/1m` or `10/s` as requests in a window; undefined for anything else. */
export function parseRate(text: string): Rate | undefined {
	const found = /^([1-9][0-9]{0,8})\/([1-9][0-9]{0,5})?([smhd])$/.exec(text);
	if (!found) return undefined;
	const [, requests, count = 1, unit] = found;
	return { requests: Number(requests), windowSeconds: (Number(count) * unitsMs[unit as keyof typeof unitsMs]) / 1000 };
}
