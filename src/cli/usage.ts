// How commands explain themselves: one layout of help, and one sentence for each way to call a command wrongly.

import { styleText } from "node:util";
import { Command, type CommanderError, type Help, type Option } from "commander";
import { CommandError } from "./command-error.ts";
import { adviseAsCalled } from "./command-name.ts";
import { countOf } from "./words.ts";

const helpWidthMax = 100;

/** Sets the help and the errors of a command and all below it. @returns the sentence for an error of commander */
export function setUsage(program: Command): (error: CommanderError) => string {
	let failed = program;
	function set(command: Command): void {
		command.configureHelp(help).exitOverride().helpCommand(false);
		command.optionsGroup("Options:").helpOption("-h, --help", "show this help");
		command.configureOutput({
			writeOut: (text) => void process.stdout.write(adviseAsCalled(text)),
			// Only help for a command without its subcommand: errors are written by main.ts.
			writeErr: (text) => void process.stdout.write(adviseAsCalled(text)),
			outputError: () => {
				failed = command;
			},
			getOutHelpWidth: () => Math.min(process.stdout.columns ?? helpWidthMax, helpWidthMax),
			getErrHelpWidth: () => Math.min(process.stdout.columns ?? helpWidthMax, helpWidthMax),
			getErrHasColors: () => process.stdout.isTTY === true && process.stdout.hasColors(),
		});
		command.commands.forEach(set);
	}
	set(program);
	return (error) => describeUsageError(error, failed);
}

/** `animal-store help pets list` */
export function helpCommand(): Command {
	return new Command("help")
		.description("describe a command and its options")
		.argument("[command...]", "such as pets list")
		.action((names: string[], _options, { parent }: Command) => {
			let command = parent as Command;
			for (const name of names) {
				const next = command.commands.find((sub) => sub.name() === name);
				if (!next) throw new CommandError(noSuchCommand(command, name));
				command = next;
			}
			command.outputHelp();
		});
}

function noSuchCommand(parent: Command, name: string, suggestion = ""): string {
	const path = pathOf(parent).replace("animal-store", "").trim();
	const list = path === "" ? "animal-store help lists all commands" : `animal-store help ${path} lists its commands`;
	return `there is no command "${`${path} ${name}`.trim()}"${suggestion}: ${list}`;
}

const help: Partial<Help> = {
	styleTitle: (title) => styleText("bold", title, { validateStream: false }),
	styleUsage: (usage) => usage,
	subcommandTerm: (command) => [command.name(), ...command.registeredArguments.map(argumentTerm)].join(" "),
	commandUsage(command) {
		const required = command.options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags);
		const isGroup = command.commands.length > 0;
		const rest = isGroup ? ["<command>"] : ["[options]", ...command.registeredArguments.map(argumentTerm)];
		return [pathOf(command), ...required, ...rest].join(" ");
	},
	optionDescription: describeOption,
	argumentDescription: ({ description, argChoices }) =>
		argChoices ? `${description}: ${listOf(argChoices)}` : description,
};

function argumentTerm(argument: Command["registeredArguments"][number]): string {
	const name = argument.name() + (argument.variadic ? "..." : "");
	return argument.required ? `<${name}>` : `[${name}]`;
}

function describeOption({ description, argChoices, defaultValue, defaultValueDescription, mandatory }: Option): string {
	const choices = argChoices ? `: ${listOf(argChoices)}` : "";
	const usual = defaultValueDescription ?? (defaultValue === undefined ? undefined : String(defaultValue));
	const note = mandatory ? " (required)" : usual === undefined ? "" : ` (default: ${usual})`;
	return description + choices + note;
}

function listOf(choices: readonly string[]): string {
	return choices.length < 2 ? choices.join() : `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`;
}

function pathOf(command: Command): string {
	return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

/** Commander's messages, in the style of all other errors. */
function describeUsageError({ code, message }: CommanderError, command: Command): string {
	const [first = "", hint = ""] = message.replace(/^error: /, "").split("\n");
	const [, meant] = /^\(Did you mean (?:one of )?(.*)\?\)$/.exec(hint) ?? [];
	const suggestion = meant === undefined ? "" : ` (did you mean ${meant}?)`;
	const [, quoted = ""] = /'([^']*)'/.exec(first) ?? [];
	if (code === "commander.unknownCommand") return noSuchCommand(command, quoted, suggestion);
	const problem = describeValue(first);
	if (problem !== undefined) return problem;
	const path = pathOf(command).replace("animal-store", "animal-store help");
	return `${describeCall(first, quoted, suggestion)}: ${path} shows how to call it`;
}

/** A value that breaks a rule needs no hint. */
function describeValue(first: string): string | undefined {
	const [, flag, given, rule = ""] = /^option '(-[\w-]+)[^']*' argument '(.*)' is invalid\. (.*)$/s.exec(first) ?? [];
	if (flag !== undefined) return `${flag} ${mustBe(rule)}, not "${given}"`;
	const [, value, name, reason = ""] =
		/^command-argument value '(.*)' is invalid for argument '(\w+)'\. (.*)$/s.exec(first) ?? [];
	return value === undefined ? undefined : `the ${name} ${mustBe(reason)}, not "${value}"`;
}

function describeCall(first: string, quoted: string, suggestion: string): string {
	const [option] = quoted.split(" ");
	if (first.startsWith("unknown option")) return `there is no option ${quoted}${suggestion}`;
	if (first.startsWith("required option")) return `${quoted} is required`;
	if (first.startsWith("missing required argument")) return `the ${quoted} is missing`;
	if (first.endsWith("argument missing")) return `${option} needs a value, ${quoted}`;
	const [, expected, given, values] = /Expected (\d+) arguments? but got (\d+): (.*)\.$/s.exec(first) ?? [];
	if (values !== undefined) return `expected ${countOf(Number(expected), "argument")}, not ${given} (${values})`;
	const [, one = "", other = ""] =
		/^option '(\S+?)(?: [^']*)?' cannot be used with option '(\S+?)(?: [^']*)?'/.exec(first) ?? [];
	if (one !== "") return `${one} and ${other} cannot be used together`;
	return first;
}

/** Of "It must be X." and "Allowed choices are a, b." */
function mustBe(rule: string): string {
	const [, choices] = /^Allowed choices are (.*)\.$/.exec(rule) ?? [];
	if (choices !== undefined) return `must be ${listOf(choices.split(", "))}`;
	return rule.replace(/^It /, "").replace(/\.$/, "");
}
