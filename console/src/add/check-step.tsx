// Step 4 of adding many: the first animals as they will be stored, the rows that are left out, and the rows to correct.

import { useContext, useEffect, useState } from "preact/hooks";
import { ApiError } from "../../../client/src/index.ts";
import type { Category } from "../../../src/contract/console.ts";
import { type AskConsole, makeCategories, numbersOf } from "../../../src/files/categories.ts";
import { describeFound, type EarlierRows, findEarlier } from "../../../src/files/earlier-rows.ts";
import { type ReadOptions, textsOf } from "../../../src/files/rows.ts";
import { CategoriesContext } from "../categories/categories.ts";
import { Button } from "../parts/button.tsx";
import { TableHead } from "../parts/cells.tsx";
import { Problem } from "../parts/notes.tsx";
import { pauseAfter } from "../parts/pause.ts";
import { countOf, digits, labels, sentenceOf, stateOf } from "../parts/sentences.ts";
import type { Session } from "../session/session.ts";
import { createJob, type Job, rowsToSend } from "./add-rows.ts";
import { type Checked, firstMax, rejectedTexts } from "./check-rows.ts";
import type { Correcting } from "./corrections.tsx";
import { type MappedValue, newNameAt, newNames, toValues } from "./map-values.tsx";
import type { PetFile } from "./open-rows.ts";
import { RowsTable, SaveRows } from "./rows-table.tsx";
import { Step } from "./steps.tsx";

export interface CheckedProps {
	file: PetFile;
	session: Session;
	categories: readonly Category[];
	mapped: MappedValue[];
	checked: Checked;
	/** Whether the whole file was checked with the current choices. */
	isChecked: boolean;
	correcting: Correcting;
	onBack(): void;
}

export function CheckStep({ onStart, ...shared }: CheckedProps & { onStart(job: Job): void }) {
	const { file, checked, isChecked, correcting, onBack } = shared;
	const { shown, damaged, unused } = checked;
	const { corrections, now } = correcting;
	const fixed = shown.filter(({ row }) => now(row).pet).length;
	const good = checked.good + fixed - damaged.filter((row) => row.pet && !now(row).pet).length;
	const bad = checked.bad - fixed;
	const correctedFile = { ...file, earlier: checked.earlier, options: { ...file.options, corrections } };
	const start = useStart({ ...shared, file: correctedFile }, (options, earlier) => {
		const file = { ...correctedFile, options: { ...correctedFile.options, ...options } };
		onStart(createJob({ file, total: good, earlier }));
	});
	const { found } = start;
	return (
		<Step
			key="check"
			name="Check"
			lead={
				<p role="status" class="num">
					<strong>
						{digits.format(good)} good, {digits.format(bad)} to fix.
					</strong>{" "}
					<span class="soft">
						{bad > 0 && "Correct the red fields, or leave these rows out. "}
						{unused.length > 0 && `Ignored: ${unused.join(", ")}.`}
						{leftOut(file, checked)}
					</span>
				</p>
			}
			note={
				<>
					<p>
						<strong class="file">{file.name}</strong>, {countOf(good + bad)}
					</p>
					<Problem>{start.problem}</Problem>
					{found && (
						<p role="status">
							<strong>{describeFound(found, { of: countOf(good), examples: namesOf(found) })}.</strong>
						</p>
					)}
				</>
			}
			onBack={onBack}
			others={
				<>
					{bad > 0 && <SaveRows file={file} count={bad} texts={() => rejectedTexts(correctedFile)} />}
					{found && <Button label="Add them again" isReady={!start.isPending} onClick={start.again} />}
				</>
			}
			next={{
				label: found ? "Leave them out" : good > 0 ? `Add ${countOf(good)}` : "Add",
				isReady: isChecked && good > 0 && !start.isPending,
				run: start.run,
			}}
		>
			{good > 0 && <FirstAnimals {...shared} count={good} />}
			{shown.length > 0 && <RowsTable title="To fix" rejected={shown} count={checked.bad} correcting={correcting} />}
		</Step>
	);
}

const namesOf = ({ first }: EarlierRows) => first.map(({ given }) => textsOf(given).name ?? "");

/** The rows that are left out, by reason. */
function leftOut({ id, options }: PetFile, { other, otherCount, earlier, open }: Checked): string {
	const more = otherCount > 1 ? ` and ${digits.format(otherCount - 1)} more` : "";
	const nameless = options.fallback?.name === null ? (open?.nameless ?? 0) : 0;
	const reasons = [
		other && `row ${other.row} (“${other.text.slice(0, 40)}”)${more}: no animal`,
		nameless > 0 && `${countOf(nameless)} without a name`,
		earlier.size > 0 && `${digits.format(earlier.size)} with the ${id?.name} of another row`,
	].filter((reason) => reason);
	return reasons.length > 0 ? ` Left out: ${reasons.join("; ")}.` : "";
}

/** The step lists the names of at most this many new categories. */
const namedMax = 12;

function FirstAnimals({ checked, mapped, correcting, count }: CheckedProps & { count: number }) {
	const { labelOf } = useContext(CategoriesContext);
	const rows = [...checked.first, ...checked.shown.map(({ row }) => row)].sort(
		(one, other) => one.number - other.number,
	);
	const first = rows.flatMap((row) => correcting.now(row).pet ?? []).slice(0, firstMax);
	const news = newNames(mapped);
	const named = news.length > namedMax ? [...news.slice(0, namedMax), `and ${news.length - namedMax} more`] : news;
	return (
		<section class="stack" aria-label="As they will be stored">
			<h2>As they will be stored{count > first.length && `: the first ${first.length} of ${digits.format(count)}`}</h2>
			<table class="values">
				<TableHead columns={{ [labels.name]: "", [labels.categoryId]: "", [labels.status]: "" }} />
				<tbody>
					{first.map(({ name, categoryId, status }, index) => (
						<tr key={index}>
							<th scope="row" dir="auto">
								{name}
							</th>
							<td dir="auto">{newNameAt(mapped, categoryId) ?? labelOf(categoryId)}</td>
							<td>{stateOf(status)}</td>
						</tr>
					))}
				</tbody>
			</table>
			{news.length > 0 && (
				<p class="num">
					{news.length === 1 ? "1 new category" : `${digits.format(news.length)} new categories`}: {named.join(", ")}
				</p>
			)}
		</section>
	);
}

/** How often a request for the rows of earlier imports is repeated while the service is busy. */
const triesMax = 5;

interface StartState {
	isPending: boolean;
	problem?: string;
	/** Rows that were already imported: the user is asked about them. A correction starts a new search for such rows. */
	found?: EarlierRows;
	corrections?: ReadOptions["corrections"];
}

/**
 * Looks for rows that were already imported, creates the new categories, and then starts the import. Stops if the user
 * leaves the step or signs out. A retry creates no category twice.
 */
function useStart(
	{ session, mapped, categories, file }: CheckedProps,
	onStart: (options: Pick<ReadOptions, "values">, earlier: EarlierRows["found"] | undefined) => void,
) {
	const { reload } = useContext(CategoriesContext);
	const [state, setState] = useState<StartState>({ isPending: false });
	const { corrections } = file.options;
	const found = state.corrections === corrections ? state.found : undefined;
	const [left] = useState(() => new AbortController());
	useEffect(() => () => left.abort(), []);
	/** Repeats the request while the service is busy, as the import does. */
	const ask: AskConsole = async (path, options) => {
		for (let failures = 0; ; failures++)
			try {
				left.signal.throwIfAborted();
				return await session.ask(path, options);
			} catch (failure) {
				const waitMs = failure instanceof ApiError ? pauseAfter(failure, failures) : undefined;
				if (waitMs === undefined || failures === triesMax) throw failure;
				await new Promise((resolve) => setTimeout(resolve, waitMs));
			}
	};
	async function run(isAgain: boolean): Promise<void> {
		setState({ ...state, isPending: true });
		try {
			const now = found ?? (await findEarlier(await rowsToSend(file), ask, left.signal));
			if (!found && now.found.size > 0 && !now.isDecided)
				return setState({ isPending: false, found: now, corrections });
			if (left.signal.aborted) return;
			const made = await makeCategories(session.ask, newNames(mapped));
			if (made.length > 0) reload();
			if (left.signal.aborted) return;
			onStart({ values: toValues(mapped, categories, numbersOf(made)) }, isAgain ? undefined : now.found);
		} catch (failure) {
			if (left.signal.aborted) return;
			const mayNot = failure instanceof ApiError && failure.status === 403;
			const why = mayNot ? "This key may not create categories: it lacks the scope pets:edit." : sentenceOf(failure);
			reload(); // Some of the categories may have been created.
			setState({ ...state, isPending: false, problem: `${why} No animal was added.` });
		}
	}
	return { ...state, found, run: () => void run(false), again: () => void run(true) };
}
