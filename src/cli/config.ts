// `animal-store config`: the settings as the service would read them, and where each comes from. Secrets are not shown.

import { Command } from "commander";
import { type Flags, type GivenSetting, readSettings } from "../config.ts";
import { withoutPassword } from "../store/postgres/url.ts";
import { withSettings } from "./serve.ts";

export function configCommand(): Command {
	const command = new Command("config")
		.description("show the settings that the service would have, without secrets; exit code 1 if they are wrong")
		.option("--json", "as a JSON array")
		.optionsGroup("The settings of serve:");
	return withSettings(command).action(({ json = false, ...flags }: { json?: boolean } & Flags) => {
		const rows = readSettings(undefined, flags).given.map(withoutSecret);
		process.stdout.write(json ? `${JSON.stringify(rows, null, "\t")}\n` : table(rows));
	});
}

interface ShownSetting {
	name: string;
	value: string | null;
	from: string;
}

function withoutSecret({ name, text = "", from }: GivenSetting): ShownSetting {
	if (name === "API_KEY" && text !== "") return { name, value: `…${text.slice(-4)}`, from };
	return { name, value: withoutPassword(text) || null, from };
}

function table(rows: ShownSetting[]): string {
	const shown = rows.map(({ name, value, from }) => [name, value ?? "-", from]);
	const widths = [0, 1].map((column) => Math.max(...shown.map((row) => row[column]?.length ?? 0)));
	const line = (row: string[]) =>
		row
			.map((cell, column) => cell.padEnd(widths[column] ?? 0))
			.join("  ")
			.trimEnd();
	return `${shown.map(line).join("\n")}\n`;
}
