// `animal-store pets …` calls the three operations of the interface, from a terminal or a script.

import { type Command, Option } from "commander";
import { AnimalStoreError, NoReply } from "../../client/src/index.ts";
import { getPetDeprecation } from "../contract/deprecation.ts";
import { type Filter, limitDefault, limitMax } from "../contract/operations.ts";
import { type NewPet, type Pet, petJson } from "../contract/pet.ts";
import { formatPets, type Pages } from "../files/formats.ts";
import { fieldOption, filterIn, parseInt64, parseIntegerUpTo, withFilter } from "./arguments.ts";
import { CommandError, describeError } from "./command-error.ts";
import { type ConnectionOptions, connect, withConnection } from "./connection.ts";
import { withEdits } from "./edits.ts";
import { examples, formatPetTable, say, toStdout } from "./output.ts";

interface OutputOptions extends ConnectionOptions {
	json?: boolean;
}

interface ListOptions extends OutputOptions, Filter {
	limit?: number;
	all?: boolean;
	last?: boolean;
}

const fieldOptions: Record<keyof NewPet, Option> = {
	name: fieldOption("name", "its name, 1 to 255 characters").makeOptionMandatory(),
	categoryId: fieldOption("categoryId", "the number of its category").makeOptionMandatory(),
	status: fieldOption("status", "its status; none if absent"),
};

export function petsCommand(pets: Command): void {
	pets.description("list, add and get animals of a running service, or edit animals in its store");
	withFilter(withOutput(pets.command("list").description("show animals by ascending id")))
		.option("--limit <n>", `animals on a page, 1 to ${limitMax}; ${limitDefault} if absent`, parseIntegerUpTo(limitMax))
		.option("--all", "every page, not only the first")
		.addOption(new Option("--last", "the newest animals, not the first").conflicts("all"))
		.addHelpText(
			"after",
			examples("pets list --status available", "pets list --last", "pets list --all --json | jq length"),
		)
		.action(list);
	const create = withOutput(pets.command("create").description("add an animal and show it with its id"))
		.addHelpText("after", examples("pets create --name Rex --category-id 1 --status available"))
		.action(createPet);
	for (const option of Object.values(fieldOptions)) create.addOption(option);
	withOutput(pets.command("get").description(`show one animal; deprecated, removed on ${getPetDeprecation.sunsetDay}`))
		.argument("<id>", "its id", parseInt64)
		.action(get);
	for (const command of pets.commands) withConnection(command);
	withEdits(pets);
}

async function list({ limit, all = false, last = false, ...options }: ListOptions): Promise<void> {
	const store = connect(options);
	let rest = "";
	async function* pages(): AsyncGenerator<Pet[]> {
		const pageSize = limit ?? (all ? undefined : limitDefault);
		for await (const page of store
			.listPets({ ...filterIn(options), limit: pageSize })
			.pages({ from: last ? "last" : "first" })) {
			yield page.pets;
			if (all) continue;
			if (last ? page.prev : page.next) rest = last ? "before" : "after";
			return;
		}
	}
	await toStdout(formatOutput(pages(), options));
	if (rest) say(`there are more animals ${rest} these: --all shows all of them`);
}

async function createPet(options: OutputOptions & NewPet): Promise<void> {
	await writePet(await connect(options).createPet(options).catch(failUnsettled), options);
}

function failUnsettled(error: unknown): never {
	const isUnsettled = error instanceof AnimalStoreError && error.isUnsettled;
	if (!isUnsettled || (error instanceof NoReply && error.reason === "unreachable")) throw error;
	const advice = "the animal may have been added: look with animal-store pets list --last before you add it again";
	throw new CommandError([...describeError(error), advice].join("\n"));
}

async function get(id: bigint, options: OutputOptions): Promise<void> {
	await writePet(await connect(options).getPet(id), options);
}

async function writePet(pet: Pet, options: OutputOptions): Promise<void> {
	await toStdout(options.json ? [`${petJson(pet)}\n`] : formatOutput([[pet]], options));
}

function formatOutput(pages: Pages<Pet>, { json }: OutputOptions): AsyncGenerator<string | Uint8Array> {
	return json ? formatPets(pages, "json") : formatPetTable(pages);
}

function withOutput(command: Command): Command {
	return command.option("--json", "as JSON, numbers exact");
}
