// `animal-store categories …` lists the store's categories and changes their names, even while the service runs.

import type { Command } from "commander";
import { type Category, type CategoryChange, type CategoryResult, categoriesMax } from "../contract/console.ts";
import { comparedName } from "../contract/equal-texts.ts";
import { int64FromDecimal } from "../contract/json.ts";
import { describeFaults } from "../contract/validate.ts";
import { numbersOf } from "../files/categories.ts";
import { checkCategoryName } from "../files/values.ts";
import type { Store } from "../store/store.ts";
import { parseInt64 } from "./arguments.ts";
import { CommandError } from "./command-error.ts";
import { changeStore, type DatabaseOptions, withDatabase, withStore } from "./connection.ts";
import { examples, formatTable, printJson, printResult, toStdout } from "./output.ts";

export function categoriesCommand(categories: Command): void {
	categories.description("list the categories of animals, and name them");
	categories
		.command("list")
		.description("list the categories that have a name or animals")
		.addHelpText("after", examples("categories list", "categories list --json"))
		.action(list);
	categories
		.command("name")
		.description("name a category, or give it another name; animals keep its number")
		.argument("<name>", "a name that no other category has, in any spelling", parseCategoryName)
		.option("--number <number>", "which category; a new one with the next free number if absent", parseInt64)
		.addHelpText("after", examples("categories name Dog", "categories name Dog --number 4"))
		.action((name: string, { number: id, ...options }: DatabaseOptions & { number?: bigint }) =>
			change(async () => (id === undefined ? { name } : { id, name }), options),
		);
	categories
		.command("forget")
		.description("remove the name of a category; animals keep its number")
		.argument("<category>", "its number or its name")
		.addHelpText("after", examples("categories forget Dog", "categories forget 4"))
		.action((text: string, options: DatabaseOptions) =>
			change(async ({ categories }) => ({ id: await findCategory(text, categories.names) }), options),
		);
	for (const command of categories.commands) withDatabase(command);
}

async function list({ json, ...flags }: DatabaseOptions): Promise<void> {
	const found = await withStore(flags, ({ categories }) => categories.list(categoriesMax));
	if (json) return printJson(found);
	const cells = found.map(({ id, name = "", animals }) => [`${id}`, `${animals}`, name]);
	const isNumber = (title: string) => title !== "name";
	await toStdout(formatTable([cells], ["number", "animals", "name"], isNumber));
}

async function change(changeOf: (store: Store) => Promise<CategoryChange>, { json, ...flags }: DatabaseOptions) {
	const { outcome, id, name } = await changeStore(flags, async (store) => {
		const [result] = (await store.categories.apply([await changeOf(store)])) as [CategoryResult];
		if (result.outcome !== "taken") return result;
		const called = `category ${result.id} is called ${JSON.stringify(result.name)} already`;
		throw new CommandError(`${called}: choose another name, or rename that one first`);
	});
	const told = name === undefined ? "has no name" : `is called ${JSON.stringify(name)}`;
	const text = `category ${id} ${told}${outcome === "unchanged" ? " already" : ""}`;
	printResult(json, { id, name: name ?? null, outcome }, text);
}

/** The number of the category with this number or this name (compared by `comparedName`). @throws CommandError */
export async function findCategory(
	text: string,
	readNames: () => Promise<Iterable<Pick<Category, "id" | "name">>>,
): Promise<bigint> {
	const id = int64FromDecimal(text) ?? numbersOf(await readNames()).get(comparedName(text));
	if (id !== undefined) return id;
	const fix = "animal-store categories list shows the names, and animal-store categories name adds one";
	throw new CommandError(`no category is called ${JSON.stringify(text)}: ${fix}`);
}

function parseCategoryName(name: string): string {
	const { faults } = checkCategoryName({ name });
	if (faults) throw new CommandError(describeFaults(faults));
	return name;
}
