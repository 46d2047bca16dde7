// `animal-store pets set-status`, `set-category`, `rename` and `remove`: operators edit animals in the store itself. A
// running service shows an edit in its next reply.

import { hostname, userInfo } from "node:os";
import { Argument, type Command } from "commander";
import { readConfig } from "../config.ts";
import { parseJson } from "../contract/json.ts";
import { petStatuses } from "../contract/pet.ts";
import { checkFields, describeFaults } from "../contract/validate.ts";
import type { NewEdit, Store } from "../store/store.ts";
import { parseInt64, parsePrintable } from "./arguments.ts";
import { findCategory } from "./categories.ts";
import { CommandError } from "./command-error.ts";
import { changeStore, type DatabaseOptions, sayStore, withDatabase } from "./connection.ts";
import { engineOf } from "./maintenance/work.ts";
import { askOnTerminal, examples, isOnTerminal, printResult } from "./output.ts";

interface EditOptions extends DatabaseOptions {
	by?: string;
}

type ChangeOf<Edit> = Edit extends NewEdit ? Omit<Edit, "petId" | "editor"> : never;
type Change = ChangeOf<NewEdit>;

export function withEdits(pets: Command): void {
	pets.commandsGroup("For operators; these change the store directly (DATABASE_URL), even while the service runs:");
	const who = "who makes the edit, for the audit log; by default, this user and host";
	const editing = (name: string, description: string) => {
		const command = pets.command(name).description(description).argument("<id>", "its id", parseInt64);
		return withDatabase(command.option("--by <name>", who, parsePrintable));
	};
	editing("set-status", "change the status of an animal")
		.addArgument(new Argument("<status>", "its new status").choices([...petStatuses, "none"]))
		.addHelpText("after", examples("pets set-status 42 sold", "pets set-status 42 none --by 'Ann, shop'"))
		.action((petId: bigint, text: string, options: EditOptions) => {
			const status = petStatuses.find((status) => status === text);
			return edit(petId, () => ({ action: "set-status", status }), `has the status ${text}`, options);
		});
	editing("set-category", "put an animal into another category")
		.argument("<category>", "the number or the name of its new category")
		.addHelpText("after", examples("pets set-category 42 Dog", "pets set-category 42 4"))
		.action((petId: bigint, text: string, options: EditOptions) =>
			edit(
				petId,
				async ({ categories }) => ({
					action: "set-category",
					categoryId: await findCategory(text, categories.names),
				}),
				`is in the category ${text}`,
				options,
			),
		);
	editing("rename", "correct the name of an animal")
		.argument("<name>", "its new name, 1 to 255 characters", parseName)
		.addHelpText("after", examples("pets rename 42 Rex"))
		.action((petId: bigint, name: string, options: EditOptions) =>
			edit(petId, () => ({ action: "rename", name }), "has its new name", options),
		);
	editing("remove", "remove an animal for good; backups keep it until they expire")
		.option("--yes", "without a question, as in a script")
		.addHelpText("after", examples("pets remove 42", "pets remove 42 --yes"))
		.action((petId: bigint, { yes, ...options }: EditOptions & { yes?: boolean }) => {
			const confirmed = async (store: Store): Promise<Change> => {
				if (!yes) await confirmRemoval(store, petId);
				return { action: "remove" };
			};
			return edit(petId, confirmed, "is removed", options);
		});
	withDatabase(pets.command("erase-names"))
		.description(
			"rewrite the store without space where old names may be left (VACUUM); a SQLite store must not be in use",
		)
		.action(eraseNames);
}

/** Asks before an animal is removed, unless the animal is gone already. @throws CommandError */
async function confirmRemoval(store: Store, petId: bigint): Promise<void> {
	const { json } = await store.getPet(petId);
	if (json === undefined) return;
	const what = `${Object(parseJson(json)).name} (animal ${petId})`;
	if (!isOnTerminal()) throw new CommandError(`a removal cannot be undone: to remove ${what}, add --yes`);
	if (!/^\s*y(es)?\s*$/i.test(await askOnTerminal(`remove ${what}? This cannot be undone [y/N]`)))
		throw new CommandError("nothing was removed");
}

/** @param result what the animal is or has now, for the message, such as "is removed" @throws CommandError */
async function edit(
	petId: bigint,
	changeOf: (store: Store) => Change | Promise<Change>,
	result: string,
	{ by, json, ...flags }: EditOptions,
): Promise<void> {
	const { outcome, action } = await changeStore(flags, async (store) => {
		const change = await changeOf(store);
		const { outcome } = await store.edits.apply({ petId, editor: by ?? currentEditor(), ...change });
		if (outcome === "absent")
			throw new CommandError(`there is no animal ${petId}: animal-store pets list shows the ids`);
		if (outcome === "removed" && change.action !== "remove")
			throw new CommandError(`animal ${petId} was removed: animal-store audit list shows when, and by whom`);
		return { outcome, action: change.action };
	});
	const text = `animal ${petId} ${outcome === "edited" ? result : `${result} already`}`;
	printResult(json, { id: petId, action, outcome }, text);
}

async function eraseNames({ json, ...flags }: DatabaseOptions): Promise<void> {
	const { databaseUrl } = readConfig(undefined, flags);
	const { eraseNames } = await engineOf(databaseUrl);
	const startedAtMs = performance.now();
	await eraseNames(databaseUrl);
	const durationMs = Math.round(performance.now() - startedAtMs);
	sayStore(databaseUrl);
	printResult(json, { durationMs }, `erased old names in ${(durationMs / 1000).toFixed(1)} s`);
}

function currentEditor(): string {
	let user = `uid ${process.getuid?.() ?? "unknown"}`; // A container may run as a user without a name.
	try {
		user = userInfo().username;
	} catch {}
	return `${user}@${hostname()}`;
}

function parseName(name: string): string {
	const { faults } = checkFields({ name, categoryId: 1 });
	if (faults) throw new CommandError(describeFaults(faults));
	return name;
}
