// The questions that the user answers about a list after choosing its columns, before anything is sent: how to add
// animals without a name, animals with several rows, and a list without categories.

import { findColumns, idColumn, type Mapping } from "../../../src/files/columns.ts";
import type { IdColumn } from "../../../src/files/proposals.ts";
import type { Fallback, Preview } from "../../../src/files/rows.ts";
import { proposeCategory } from "../../../src/files/values.ts";
import { Select } from "../parts/fields.tsx";
import { countOf, digits, listOf } from "../parts/sentences.ts";
import type { Checked } from "./check-rows.ts";

/** `category`: name or number. `unnamed`: `skip`, `fix`, or a column to use as the name. `once`: `last` or `each`. */
export type Answers = Partial<Record<"category" | "unnamed" | "once", string>>;

interface Reading {
	fallback: Fallback;
	id: IdColumn | undefined;
	/** The positions of the columns that could be used as the name, the likeliest first. */
	free: number[];
}

/** How to read a list, given the user's answers. @param title the list's name, from which a category is proposed */
export function readingOf(preview: Preview, mapping: Mapping, answers: Answers, title: string): Reading {
	const { columns, sample } = preview;
	const found = findColumns(columns, mapping, sample);
	const at = idColumn(columns, found, sample);
	const { category = proposeCategory(title) ?? "", unnamed = "fix", once } = answers;
	const free = [...columns.keys()].filter((one) => columns[one] !== "" && !Object.values(found.at).includes(one));
	return {
		fallback: {
			categoryId: found.missing.join() === "categoryId" ? category : undefined,
			name: unnamed === "skip" ? null : unnamed === "fix" ? undefined : Number(unnamed),
		},
		id: at === -1 ? undefined : { at, name: columns[at] ?? "", nameAt: found.at.name, isConfirmed: once === "last" },
		free: free.sort((one, other) => Number(other === at) - Number(one === at)),
	};
}

interface Question {
	field: keyof Answers;
	text: string;
	/** The answer; undefined until it is given. */
	value: string | undefined;
	/** Absent if the user types the answer. Until there is an answer, the first choice is the proposal. */
	choices?: (readonly [value: string, text: string])[];
}

export function questionsOf({ columns }: Preview, answers: Answers, reading: Reading, checked?: Checked): Question[] {
	const { fallback, id, free } = reading;
	const { nameless = 0, repeats } = checked?.open ?? {};
	const questions: Question[] = [];
	const ask = (field: keyof Answers, text: string, choices: (readonly [string, string])[], proposal: string) => {
		const value = answers[field];
		questions.push({ field, text, value, choices: value === undefined ? [["", proposal], ...choices] : choices });
	};
	if (fallback.categoryId !== undefined) {
		const value = fallback.categoryId || undefined;
		questions.push({ field: "category", text: "No column holds the category. All animals are", value });
	}
	if (nameless > 0 && free.length > 0) {
		const use = free.map((at) => [String(at), `use ${columns[at]}`] as const);
		const others = [["skip", "leave out"] as const, ["fix", "correct each row"] as const];
		const text = `${countOf(nameless)} ${nameless === 1 ? "has" : "have"} no name`;
		ask("unnamed", text, [...use, ...others], id ? `use ${id.name}?` : "Choose …");
	}
	if (id && repeats) {
		const once = `one animal for each ${id.name}`;
		const text = `${id.name} repeats: ${digits.format(repeats.rows)} rows, ${countOf(repeats.animals)}`;
		const choices = [["last", `${once}, from its last row`] as const, ["each", "each row is an animal"] as const];
		ask("once", text, choices, `${once}?`);
	}
	return questions;
}

interface QuestionsProps {
	questions: readonly Question[];
	answer(field: keyof Answers, value: string): void;
}

export function Questions({ questions, answer }: QuestionsProps) {
	return questions.map(({ field, text, value, choices }) => {
		const shared = { id: field, class: value === undefined ? "ask" : "", value: value ?? "" };
		const enter = (next: string) => answer(field, next);
		return (
			<div key={field} class="line wraps asked">
				<label for={field}>{text}</label>
				{choices ? (
					<Select {...shared} choices={choices} onChange={enter} />
				) : (
					<input
						{...shared}
						dir="auto"
						autocomplete="off"
						onInput={({ currentTarget }) => enter(currentTarget.value)}
					/>
				)}
			</div>
		);
	});
}

/** Says which columns are more detailed than the category's column; empty if none is, or if the user chose another. */
export function describeFiner(preview: Preview, { categoryId, ...others }: Mapping): string {
	const { columns, sample } = preview;
	const { at, finer } = findColumns(columns, others, sample);
	if (finer.length === 0 || at.categoryId !== categoryId) return "";
	const names = listOf(finer.map((index) => `“${columns[index]}”`));
	return `The category is in “${columns[at.categoryId]}”: ${names} ${finer.length === 1 ? "is" : "are"} more detailed.`;
}
