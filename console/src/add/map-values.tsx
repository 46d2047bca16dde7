// Step 3 of adding many: the user confirms the meanings of unknown values in the status and category fields. The user
// sees each guess before it is sent, and a category is created only when the animals are added.

import type { Category } from "../../../src/contract/console.ts";
import { comparedName } from "../../../src/contract/equal-texts.ts";
import { type PetStatus, petStatuses } from "../../../src/contract/pet.ts";
import { numbersOf } from "../../../src/files/categories.ts";
import { plainValue, type UnknownValue, unknownMax, type Values, type WordField } from "../../../src/files/values.ts";
import { Button } from "../parts/button.tsx";
import { TableHead } from "../parts/cells.tsx";
import { Select } from "../parts/fields.tsx";
import { digits, labels, shortName } from "../parts/sentences.ts";

/** A category to create before the first animal is added. */
interface NewCategory {
	newName: string;
}

/** A status, null for no status, a category's number, a new category, or `fix` to correct the rows with this value. */
type Meaning = PetStatus | null | bigint | NewCategory | "fix";

/** An unknown value of the file and its meaning, which is undefined until it is chosen. */
export type MappedValue = UnknownValue & { meaning: Meaning | undefined };

const newNameOf = (meaning: Meaning | undefined) => (meaning as Partial<NewCategory> | null | undefined)?.newName;

export function newNames(mapped: readonly MappedValue[]): string[] {
	return [...new Set(mapped.flatMap(({ meaning }) => newNameOf(meaning) ?? []))];
}

/** While rows are checked, new categories have placeholders as numbers: this one, the next integer, and so on. */
const unmade = -(2n ** 63n);

/** The name of the new category with this placeholder. */
export function newNameAt(mapped: readonly MappedValue[], id: bigint | number): string | undefined {
	return newNames(mapped)[Number(BigInt(id) - unmade)];
}

/** @param made the numbers of the categories that were created, keyed by name */
export function toValues(
	mapped: readonly MappedValue[],
	categories: readonly Category[],
	made: ReadonlyMap<string, bigint> = new Map(),
): Values {
	const status = new Map<string, PetStatus | null>();
	const categoryId = numbersOf(categories);
	const news = newNames(mapped);
	const numberOf = (name: string) => made.get(comparedName(name)) ?? unmade + BigInt(news.indexOf(name));
	for (const name of news) categoryId.set(comparedName(name), numberOf(name));
	for (const { text, meaning } of mapped) {
		const newName = newNameOf(meaning);
		if (newName !== undefined) categoryId.set(comparedName(text), numberOf(newName));
		else if (typeof meaning === "bigint") categoryId.set(comparedName(text), meaning);
		else if (meaning === null || petStatuses.some((one) => one === meaning))
			status.set(plainValue(text), meaning as PetStatus | null);
	}
	return { status, categoryId, numbers: new Set(categories.map(({ id }) => BigInt(id))) };
}

/** The user is asked about at most this many values of a field. Rows with other values are corrected one by one. */
const shownMax: Record<WordField, number> = { status: 12, categoryId: unknownMax };

/** Adds to `mapped` what a check has found. A proposed status is preselected; the user has to choose a new category. */
export function withProposals(mapped: readonly MappedValue[], found: readonly UnknownValue[]): MappedValue[] {
	const words = [...mapped];
	for (const value of found) {
		const ofField = words.filter(({ field }) => field === value.field);
		if (ofField.length >= shownMax[value.field] || ofField.some(({ text }) => text === value.text)) continue;
		words.push({ ...value, meaning: value.field === "status" ? value.proposed : undefined });
	}
	return words;
}

const isNameable = ({ field, proposed }: MappedValue) => field === "categoryId" && proposed !== undefined;

/** The name of the new category that is proposed for a value without a meaning. */
const openNameOf = ({ field, proposed, meaning }: MappedValue) =>
	field === "categoryId" && meaning === undefined ? proposed : undefined;

interface MapValuesProps {
	mapped: MappedValue[];
	setMapped(mapped: MappedValue[]): void;
	categories: readonly Category[];
	mayMake: boolean;
}

export function MapValues(props: MapValuesProps) {
	const { mapped, mayMake } = props;
	return (
		<>
			<WordTable {...props} field="status" />
			{!mayMake && mapped.some(isNameable) && (
				<p>
					This key may not create categories: it lacks the scope <code>pets:edit</code>. Choose existing categories, or
					sign in with another key: your choices are kept.
				</p>
			)}
			<WordTable {...props} field="categoryId" />
		</>
	);
}

/** A button for all values that may become new categories. The button stays when no value is left, so nothing moves. */
export function MakeAll({ mapped, setMapped }: Pick<MapValuesProps, "mapped" | "setMapped">) {
	const [proposed, open] = [mapped.filter(isNameable), mapped.filter((value) => openNameOf(value) !== undefined)];
	const [first] = proposed;
	if (!first) return null;
	const become = (value: MappedValue): MappedValue => {
		const newName = openNameOf(value);
		return newName === undefined ? value : { ...value, meaning: { newName } };
	};
	return (
		<Button
			label={
				proposed.length === 1
					? `New category: ${shortName(String(first.proposed))}`
					: `New categories: all ${open.length || proposed.length}`
			}
			isReady={open.length > 0}
			onClick={() => setMapped(mapped.map(become))}
		/>
	);
}

function WordTable({ field, ...props }: MapValuesProps & { field: WordField }) {
	const { mapped } = props;
	if (!mapped.some((value) => value.field === field)) return null;
	return (
		<table class="values">
			<TableHead columns={{ [`${labels[field]} in your list`]: "", Rows: "n", Becomes: "" }} />
			<tbody>
				{mapped.map(
					(value, index) =>
						value.field === field && <WordRow key={value.text} {...props} value={value} index={index} />,
				)}
			</tbody>
		</table>
	);
}

function WordRow({ value, index, ...props }: MapValuesProps & { value: MappedValue; index: number }) {
	const { mapped, setMapped } = props;
	const { text, rows, meaning } = value;
	const choices = value.field === "status" ? statusChoices : categoryChoices(value, props);
	const offered = choices.map((one) => [keyOf(one.meaning), one.label] as const);
	function become(key: string): void {
		const chosen = choices.find((one) => keyOf(one.meaning) === key);
		setMapped(mapped.with(index, { ...value, meaning: chosen?.meaning }));
	}
	return (
		<tr>
			<th scope="row" dir="auto">
				“{text}”
			</th>
			<td class="n">{digits.format(rows)}</td>
			<td>
				<Select
					class={meaning === undefined ? "ask" : ""}
					aria-label={`“${text}” becomes`}
					choices={meaning === undefined ? [[keyOf(meaning), "Choose …"], ...offered] : offered}
					value={keyOf(meaning)}
					onChange={become}
				/>
			</td>
		</tr>
	);
}

interface Choice {
	meaning: Meaning;
	label: string;
}

function keyOf(meaning: Meaning | undefined): string {
	const newName = newNameOf(meaning);
	return newName === undefined ? String(meaning) : `new ${newName}`;
}

const fix: Choice = { meaning: "fix", label: "correct each row" };
const statusChoices: Choice[] = [
	...petStatuses.map((status) => ({ meaning: status, label: status })),
	{ meaning: null, label: "not set" },
	fix,
];

/** A menu offers at most this many categories without a name, because some stores have many. */
const unnamedMax = 50;

/** A menu offers at most this many new categories, because a list may need a thousand. */
const newMax = 50;

function categoryChoices({ proposed }: MappedValue, { mapped, categories, mayMake }: MapValuesProps): Choice[] {
	const news = newNames(mapped).slice(0, newMax);
	const names = mayMake ? new Set([...(proposed ? [proposed] : []), ...news]) : [];
	const unnamed = categories.filter(({ name }) => name === undefined);
	const existing = [
		...categories.filter(({ name }) => name !== undefined),
		...unnamed.sort((one, other) => other.animals - one.animals).slice(0, unnamedMax),
	];
	return [
		...[...names].map((newName) => ({ meaning: { newName }, label: `New category: ${newName}` })),
		...existing.map(({ id, name }) => ({ meaning: id, label: name === undefined ? String(id) : `${name} · ${id}` })),
		fix,
	];
}
