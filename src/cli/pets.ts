// `animal-store pets …` calls the three operations of the interface and the console's search, from a terminal or a
// script. Tables show the names of categories, JSON shows their numbers.

import { type Command, Option } from "commander";
import { AnimalStoreError, NoReply } from "../../client/src/index.ts";
import { type FindReply, type Sort, sorts } from "../contract/console.ts";
import { getPetDeprecation } from "../contract/deprecation.ts";
import type { Filter } from "../contract/filters.ts";
import { limitDefault, limitMax } from "../contract/operations.ts";
import { type NewPet, type Pet, petFields, petJson } from "../contract/pet.ts";
import type { AskConsole } from "../files/categories.ts";
import { formatPets, type Pages } from "../files/formats.ts";
import { fieldOption, filterIn, parseInt64, parseIntegerUpTo, withFilter } from "./arguments.ts";
import { findCategory } from "./categories.ts";
import { CommandError, describeError } from "./command-error.ts";
import { type ConnectionOptions, connect, readConnection, retryForMs, withConnection } from "./connection.ts";
import { categoriesOf, consoleRequests } from "./console-requests.ts";
import { withEdits } from "./edits.ts";
import { countOf, examples, formatPetTable, say, toStdout } from "./output.ts";

interface OutputOptions extends ConnectionOptions {
	json?: boolean;
}

interface ListOptions extends OutputOptions, Filter {
	limit?: number;
	all?: boolean;
	last?: boolean;
}

interface FindOptions extends OutputOptions, Filter {
	limit?: number;
	category?: string;
	sort?: Sort;
}

type CreateOptions = OutputOptions &
	Omit<NewPet, "categoryId"> & { categoryId?: NewPet["categoryId"]; category?: string };

const fieldOptions: Record<keyof NewPet, Option> = {
	name: fieldOption("name", "its name, 1 to 255 characters").makeOptionMandatory(),
	categoryId: fieldOption("categoryId", "the number of its category").conflicts("category"),
	status: fieldOption("status", "its status; none if absent"),
};

export function petsCommand(pets: Command): void {
	pets.description("list, add and get animals of a running service, or edit animals in its store");
	const limit = (what: string) =>
		new Option("--limit <n>", `${what}, 1 to ${limitMax}; ${limitDefault} if absent`).argParser(
			parseIntegerUpTo(limitMax),
		);
	const category = new Option("--category <category>", "the number or the name of its category");
	withFilter(withOutput(pets.command("list").description("show animals by ascending id")))
		.addOption(limit("animals on a page"))
		.option("--all", "every page, not only the first")
		.addOption(new Option("--last", "the newest animals, not the first").conflicts("all"))
		.addHelpText(
			"after",
			examples("pets list --status available", "pets list --last", "pets list --all --json | jq length"),
		)
		.action(list);
	withFilter(withOutput(pets.command("find").description("find animals by their name, category or id")))
		.argument("<text>", "a part of the name of the animal or of its category, or a number")
		.addOption(limit("the most animals to show"))
		.addOption(new Option("--category <category>", "only animals of the category with this number or name"))
		.addOption(new Option("--sort <order>", "the order; - means descending").choices(sorts).default("-id"))
		.addHelpText("after", examples("pets find rex", "pets find rex --category Dog --sort name"))
		.action(find);
	const create = withOutput(pets.command("create").description("add an animal and show it with its id"))
		.addHelpText("after", examples("pets create --name Rex --category Dog --status available"))
		.action(createPet);
	for (const option of [...Object.values(fieldOptions), category]) create.addOption(option);
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

async function find(text: string, { limit = limitDefault, category, sort = "-id", ...options }: FindOptions) {
	const ask = asking(options);
	const query = new URLSearchParams({ name: text, sort, limit: String(limit) });
	for (const [field, value] of Object.entries(filterIn(options))) if (value !== undefined) query.set(field, `${value}`);
	if (category !== undefined) query.set("category", String(await findCategory(category, namesFrom(ask))));
	const { pets, total = 0, isMore } = (await ask(`/console/find?${query}`, {})) as FindReply;
	await toStdout(formatOutput([pets], options));
	const hint = limit < limitMax ? `: --limit shows up to ${limitMax}` : "";
	if (total > pets.length) say(`${isMore ? "more than " : ""}${countOf(total, "animal")} found${hint}`);
}

/** Returns a function that reads the names of categories. @throws CommandError if they cannot be read */
function namesFrom(ask: AskConsole) {
	return async () => {
		const categories = await categoriesOf(ask);
		if (categories) return categories;
		throw new CommandError(
			"the names of categories cannot be read, because the key lacks pets:read or the service is old: give a number",
		);
	};
}

async function createPet({ category, categoryId, ...options }: CreateOptions): Promise<void> {
	if (category === undefined && categoryId === undefined)
		throw new CommandError("the category is missing: add --category with its name or number");
	const number = categoryId ?? (await findCategory(category ?? "", namesFrom(asking(options))));
	const pet = { ...options, categoryId: number };
	await writePet(await connect(options).createPet(pet).catch(failUnsettled), options);
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

function formatOutput(pages: Pages<Pet>, options: OutputOptions): AsyncGenerator<string | Uint8Array> {
	if (options.json) return formatPets(pages, "json");
	return formatPetTable(pages, petFields, async () => {
		// The names are requested without retries and with a short time-out, so that a new animal is shown soon.
		const ask = consoleRequests({ ...readConnection(options), maxRetries: 0, timeoutMs: namesWithinMs });
		const categories = await categoriesOf(ask).catch(() => undefined);
		return new Map(categories?.flatMap(({ id, name }) => (name === undefined ? [] : [[id, name] as const])));
	});
}

/** How long a table waits for the names of categories. */
const namesWithinMs = 2_000;

const asking = (options: ConnectionOptions) => consoleRequests({ retryForMs, ...readConnection(options) });

function withOutput(command: Command): Command {
	return command.option("--json", "as JSON, numbers exact");
}
