// `animal-store pets set-status`, `set-category`, `rename` and `remove`: operators edit animals in the store itself. A
// running service shows an edit in its next reply.

import { hostname, userInfo } from "node:os";
import { Argument, type Command } from "commander";
import { type Flags, readConfig } from "../config.ts";
import { replacesName } from "../contract/console.ts";
import { toJson } from "../contract/json.ts";
import { petStatuses } from "../contract/pet.ts";
import { checkFields, describeFaults } from "../contract/validate.ts";
import { type NewEdit, StorageUnavailable, type Store } from "../store/store.ts";
import { parseInt64, parsePrintable } from "./arguments.ts";
import { findCategory } from "./categories.ts";
import { CommandError } from "./command-error.ts";
import { changeStore, type DatabaseOptions, sayStore, withDatabase } from "./connection.ts";
import { engineOf } from "./maintenance/work.ts";
import { examples, printResult } from "./output.ts";

interface EditOptions extends DatabaseOptions {
	by?: string;
}

type ChangeOf<Edit> = Edit extends NewEdit ? Omit<Edit, "petId" | "editor"> : never;
type Change = ChangeOf<NewEdit>;

const mayBeLeft = (reason: string) =>
	`may still be in the files of the store (${reason}): ` +
	"run the same command again to complete the erasure (only SQLite and plain PostgreSQL can confirm it)";

/** Adds the commands to `pets`. */
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
				async (store) => ({ action: "set-category", categoryId: await findCategory(store, text) }),
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
	editing("remove", "remove an animal for good, and erase its name; backups keep it until they expire")
		.addHelpText("after", examples("pets remove 42"))
		.action((petId: bigint, options: EditOptions) => edit(petId, () => ({ action: "remove" }), "is removed", options));
	withDatabase(pets.command("erase-names"))
		.description("erase the names that edits have replaced; a service does it soon after edits in the console")
		.action(eraseReplaced);
}

/** @param result the state for the message, such as "is removed" @throws CommandError */
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
	if (!json) process.stdout.write(`animal ${petId} ${outcome === "edited" ? result : `${result} already`}\n`);
	// Names are erased after a repeated edit, too: the first command may have ended before it erased them.
	const left = replacesName(action) ? await eraseOrExplain(flags) : undefined;
	const isErased = replacesName(action) ? left === undefined : undefined;
	if (json) process.stdout.write(`${toJson({ id: petId, action, outcome, isErased })}\n`);
	else if (isErased) process.stdout.write(`its ${action === "rename" ? "old " : ""}name is erased\n`);
	if (left === undefined) return;
	const later = "the next rename or removal of any animal erases it, too";
	throw new CommandError(`the old name of animal ${petId} ${mayBeLeft(left)}; ${later}`);
}

async function eraseReplaced({ json, ...flags }: DatabaseOptions): Promise<void> {
	const left = await eraseOrExplain(flags);
	if (left !== undefined) throw new CommandError(`names that edits have replaced ${mayBeLeft(left)}`);
	sayStore(readConfig(undefined, flags).databaseUrl);
	printResult(json, { isErased: true }, "all names that edits have replaced are erased");
}

/** The edit stays stored if the old name cannot be erased now. @returns why the name is left @throws StoreRefused */
async function eraseOrExplain(flags: Flags): Promise<string | undefined> {
	try {
		const { databaseUrl } = readConfig(undefined, flags);
		const isErased = await (await engineOf(databaseUrl)).eraseNames(databaseUrl, Date.now);
		return isErased ? undefined : "another program was using them";
	} catch (error) {
		if (error instanceof StorageUnavailable) return error.message;
		throw error;
	}
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
