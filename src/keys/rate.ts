// Durations and rates as people write them: `90d`, `24h`, `100/1m`.

const unitsMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `30s`, `15m`, `24h`, `90d` → milliseconds; undefined for anything else. */
export function parseDurationMs(text: string): number | undefined {
	const [, count, unit] = /^([1-9][0-9]{0,5})([smhd])$/.exec(text) ?? [];
	return count && unit ? Number(count) * unitsMs[unit as keyof typeof unitsMs] : undefined;
}

export interface Rate {
	requests: number;
	windowSeconds: number;
}

/** `100/1m`, `10/s` → requests in a window; undefined for anything else. */
export function parseRate(text: string): Rate | undefined {
	const [, requests, count = "1", unit] = /^([1-9][0-9]{0,8})\/([1-9][0-9]{0,5})?([smhd])$/.exec(text) ?? [];
	const windowMs = unit && parseDurationMs(count + unit);
	return requests && windowMs ? { requests: Number(requests), windowSeconds: windowMs / 1000 } : undefined;
}
