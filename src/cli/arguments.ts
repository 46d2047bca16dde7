// Parsers for option values that several commands share. An error names the rule.

import { InvalidArgumentError } from "commander";
import { parseDurationMs } from "../keys/rate.ts";

/** @throws InvalidArgumentError */
export function parseDuration(text: string): number {
	const ms = parseDurationMs(text);
	if (ms !== undefined) return ms;
	throw new InvalidArgumentError("It must be a number and a unit (s, m, h or d), such as 5m or 90d.");
}

/** Parses an integer from 1 to `max`. @param max a number of at most three digits */
export function parseIntegerUpTo(max: number): (text: string) => number {
	return (text) => {
		const number = /^[1-9][0-9]{0,2}$/.test(text) ? Number(text) : 0;
		if (number >= 1 && number <= max) return number;
		throw new InvalidArgumentError(`It must be an integer from 1 to ${max}.`);
	};
}
