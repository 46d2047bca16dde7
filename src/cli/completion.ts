// `animal-store completion bash` prints a script for the shell. The script asks `completion words` for the commands and
// options that can follow the words of the command line. If there are none, the shell proposes files.

import type { Command } from "commander";
import { examples, toStdout } from "./output.ts";

const scripts = {
	bash: `_animal_store() {
	mapfile -t COMPREPLY < <(animal-store completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _animal_store animal-store
`,
	zsh: `_animal_store() {
	local -a found
	found=(\${(f)"$(animal-store completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
	if (( $#found )); then compadd -a found; else _files; fi
}
compdef _animal_store animal-store
`,
	fish: `function _animal_store
	set --local words (commandline --current-process --cut-at-cursor --tokenize)[2..] (commandline --current-token)
	animal-store completion words -- $words 2>/dev/null
end
complete --command animal-store --arguments "(_animal_store)"
`,
};

export function completionCommand(command: Command): void {
	command
		.description("print a script that lets a shell complete commands and options")
		.addHelpText("after", examples("completion bash > ~/.local/share/bash-completion/completions/animal-store"));
	for (const [shell, script] of Object.entries(scripts))
		command
			.command(shell)
			.description(`the script for ${shell}`)
			.action(() => toStdout([script]));
	command
		.command("words", { hidden: true })
		.argument("[words...]")
		.action((words: string[]) => toStdout([proposals(command.parent ?? command, words)]));
}

/** One proposal per line. @param words the words after the program's name; the last one is being written */
function proposals(program: Command, words: readonly string[]): string {
	const last = words.at(-1) ?? "";
	let command = program;
	for (const word of words.slice(0, -1)) command = command.commands.find((one) => one.name() === word) ?? command;
	const help = program.createHelp();
	const options = () => [command, program].flatMap((one) => help.visibleOptions(one)).map(({ long }) => long ?? "");
	const names = last.startsWith("-") ? options() : help.visibleCommands(command).map((one) => one.name());
	const found = new Set(names.filter((name) => name.startsWith(last)));
	return [...found].map((name) => `${name}\n`).join("");
}
