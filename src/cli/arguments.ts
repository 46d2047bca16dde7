// The options and parsers that several commands share. The error of a parser says which values are allowed.

import { type Command, InvalidArgumentError, Option } from "commander";
import { parseDurationMs } from "../contract/durations.ts";
import { type Filter, filterNames, filters } from "../contract/filters.ts";
import { int64FromDecimal } from "../contract/json.ts";
import { isInt64Schema, NewPet } from "../contract/pet.ts";
import type { TSchema } from "../contract/schema.ts";

/** The option for an animal's field, such as `--category-id <category-id>`. The contract defines the allowed values. */
export function fieldOption(field: keyof NewPet, description: string): Option {
	const name = field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
	const option = new Option(`--${name} <${name}>`, description);
	const schema: TSchema = NewPet.properties[field];
	if (schema.enum) return option.choices(schema.enum as string[]);
	return isInt64Schema(schema) ? option.argParser(parseInt64) : option;
}

export function withFilter(command: Command): Command {
	for (const field of filterNames)
		command.addOption(fieldOption(field, `only animals with this ${filters[field].noun}`));
	return command;
}

export function filterIn(options: Filter): Filter {
	return Object.fromEntries(filterNames.map((field) => [field, options[field]]));
}

/** @throws InvalidArgumentError, like the other parsers */
export function parseDuration(text: string): number {
	const ms = parseDurationMs(text);
	if (ms !== undefined) return ms;
	throw new InvalidArgumentError("It must be a number and a unit (s, m, h or d), such as 5m or 90d.");
}

/** Parses an integer from `min` to `max`. @param max at most 9999 */
export function parseIntegerUpTo(max: number, min = 1): (text: string) => number {
	return (text) => {
		const number = /^(0|[1-9][0-9]{0,3})$/.test(text) ? Number(text) : -1;
		if (number >= min && number <= max) return number;
		throw new InvalidArgumentError(`It must be an integer from ${min} to ${max}.`);
	};
}

export function parseInt64(text: string): bigint {
	const id = int64FromDecimal(text);
	if (id !== undefined) return id;
	throw new InvalidArgumentError("It must be an integer from -9223372036854775808 to 9223372036854775807.");
}

/** The name of a key or a person. */
export function parsePrintable(text: string): string {
	if (/^\P{C}{1,100}$/u.test(text)) return text;
	throw new InvalidArgumentError("It must be 1 to 100 printable characters.");
}
