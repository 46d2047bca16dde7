// `animal-store completion SHELL` prints a script for the shell's Tab key, generated from the commands.

import { Argument, Command } from "commander";

const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

export function completionCommand(): Command {
	return new Command("completion")
		.description("print a script that completes commands and options with the Tab key")
		.addArgument(new Argument("<shell>", "your shell").choices(shells))
		.addHelpText(
			"after",
			`
To use it:
  bash   source <(animal-store completion bash)
  zsh    source <(animal-store completion zsh)
  fish   animal-store completion fish | source
To keep it, add the line to ~/.bashrc, ~/.zshrc or ~/.config/fish/config.fish.
`,
		)
		.action((shell: Shell, _options, command: Command) => {
			process.stdout.write(scripts[shell](placesOf(command.parent as Command, "")));
		});
}

/** What may follow one command: words, options, and the values of options where they are known. */
interface Place {
	/** The words after `animal-store`, such as `pets list`. */
	path: string;
	words: { text: string; description: string }[];
	/** Whether a file or an id may follow. Then options are offered only after a dash. */
	takesArgument: boolean;
	options: { name: string; description: string; takesValue: boolean; choices: string[] }[];
}

function placesOf(command: Command, path: string): Place[] {
	const help = command.createHelp();
	const commands = help.visibleCommands(command);
	const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
	const place: Place = {
		path,
		words: [
			...commands.map((sub) => ({ text: sub.name(), description: sub.description() })),
			...choices.map((text) => ({ text, description: "" })),
		],
		takesArgument: command.registeredArguments.length > 0 && choices.length === 0,
		options: help.visibleOptions(command).map((option) => ({
			name: option.long ?? option.flags,
			description: option.description,
			takesValue: option.required || option.optional,
			choices: option.argChoices ?? [],
		})),
	};
	return [
		place,
		...commands.flatMap((sub) => (sub.name() === "help" ? [] : placesOf(sub, `${path} ${sub.name()}`.trim()))),
	];
}

const scripts: Record<Shell, (places: Place[]) => string> = { bash, zsh, fish };

/** Cases of a `case` in bash and zsh; its value is the place and the word before the cursor. */
function cases(places: Place[]): { steps: string; values: string; words: string } {
	const steps = places.slice(1).map(({ path }) => quote(path));
	const values = places.flatMap(({ path, options }) =>
		options
			.filter(({ takesValue }) => takesValue)
			.map(({ name, choices }) => `\t\t${quote(`${path} ${name}`)}) reply=(${choices.join(" ")}) ;;`),
	);
	const words = places.map(({ path, words, takesArgument, options }) => {
		const all = [...words.map(({ text }) => text), ...options.map(({ name }) => name)];
		const when = takesArgument ? '[[ "$current" != -* ]] || ' : "";
		return `\t\t${quote(path)}) ${when}reply=(${all.join(" ")}) ;;`;
	});
	return { steps: steps.join("|"), values: values.join("\n"), words: words.join("\n") };
}

/**
 * Code for bash and zsh. `given` has the words before the cursor, `before` the last of them, `current` the word at it.
 */
function find(places: Place[]): string {
	const { steps, values, words } = cases(places);
	return `	for word in "\${given[@]}"; do
		case "\${at:+$at }$word" in ${steps}) at="\${at:+$at }$word" ;; esac
	done
	case "$at $before" in
${values}
	*) case "$at" in
${words}
	esac ;;
	esac`;
}

function bash(places: Place[]): string {
	return `# Completion of animal-store for bash: source <(animal-store completion bash)
_animal_store() {
	local at="" word current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" reply=()
	local given=("\${COMP_WORDS[@]:1:COMP_CWORD-1}")
${find(places)}
	COMPREPLY=($(compgen -W "\${reply[*]}" -- "$current"))
}
complete -o bashdefault -o default -F _animal_store animal-store
`;
}

function zsh(places: Place[]): string {
	return `#compdef animal-store
# Completion of animal-store for zsh: source <(animal-store completion zsh), or save it as _animal-store in the fpath
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
_animal_store() {
	local at="" word current="\${words[CURRENT]}" before="\${words[CURRENT-1]}"
	local -a reply given=("\${(@)words[2,CURRENT-1]}")
${find(places)}
	if (( \${#reply} )); then compadd -- "\${reply[@]}"; else _files; fi
}
if [[ "\${funcstack[1]}" == _animal-store ]]; then _animal_store "$@"; else compdef _animal_store animal-store; fi
`;
}

function fish(places: Place[]): string {
	const lines = places.flatMap(({ path, words, takesArgument, options }) => {
		const start = `complete -c animal-store -n ${quote(`__animal_store_at ${quote(path, '"')}`)}`;
		return [
			...(takesArgument ? [] : [`${start} -f`]),
			...words.map(({ text, description }) => `${start} -a ${text} -d ${quote(description)}`),
			...options.map(({ name, description, takesValue, choices }) => {
				const values = choices.length > 0 ? ` -x -a ${quote(choices.join(" "))}` : takesValue ? " -r" : "";
				return `${start} -l ${name.slice(2)} -d ${quote(description)}${values}`;
			}),
		];
	});
	const paths = places.slice(1).map(({ path }) => quote(path));
	return `# Completion of animal-store for fish: animal-store completion fish | source
function __animal_store_at
	set -l at ""
	for word in (commandline -opc)[2..]
		set -l next (string trim "$at $word")
		contains -- $next ${paths.join(" ")}; and set at $next
	end
	test "$at" = "$argv[1]"
end
${lines.join("\n")}
`;
}

function quote(text: string, mark = "'"): string {
	const escaped = mark === "'" ? text.replaceAll("\\", "\\\\").replaceAll("'", "’") : text;
	return mark + escaped + mark;
}
