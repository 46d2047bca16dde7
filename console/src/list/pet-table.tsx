// Animals as rows of a table. A name is text in any script and of any length, never markup.

import type { TargetedMouseEvent } from "preact";
import type { Sort } from "../../../src/contract/console.ts";
import type { Pet } from "../../../src/contract/pet.ts";
import { columns, Fact } from "../edit/fact.tsx";
import type { Editor } from "../edit/use-editor.ts";
import { Button } from "../parts/button.tsx";
import { type AnimalsRoute, hashOf, showFirst, showPet, sortOf } from "../parts/route.ts";

interface PetTableProps {
	pets: Pet[];
	/** The route, which has the id of the open animal. */
	route: AnimalsRoute;
	/** Absent if the key may not edit. */
	editor: Editor | undefined;
	/** The animal that was just added. */
	newest: Pet | undefined;
	isPending: boolean;
}

export function PetTable({ pets, route, editor, newest, isPending }: PetTableProps) {
	return (
		<table aria-busy={isPending} class={editor?.selection.isShown ? "selecting" : ""}>
			<caption class="hidden">Animals {sortings[sortOf(route)]}</caption>
			<Head editor={editor} route={route} />
			<tbody>
				{pets.map((pet) => (
					<Row
						key={String(pet.id)}
						pet={pet}
						route={route}
						editor={editor}
						isOpen={String(pet.id) === route.id}
						isNewest={pet.id === newest?.id}
					/>
				))}
			</tbody>
		</table>
	);
}

const fields = Object.keys(columns) as (keyof Pet)[];

export const sortings: Record<Sort, string> = {
	id: "by ascending id",
	"-id": "newest first",
	name: "by name",
	"-name": "by name, from Z to A",
};

function Head({ editor, route }: { editor?: Editor | undefined; route?: AnimalsRoute }) {
	const { pets = [], selection } = editor ?? {};
	const isAll = selection !== undefined && pets.length > 0 && pets.every(({ id }) => selection.has(String(id)));
	return (
		<thead>
			<tr>
				{selection && (
					<td class="pick">
						<label>
							<input
								type="checkbox"
								aria-label="Select all on this page"
								checked={isAll}
								indeterminate={!isAll && selection.pets.length > 0}
								onClick={isAll ? selection.clear : selection.all}
							/>
						</label>
					</td>
				)}
				{fields.map((field) => (
					<HeadCell key={field} field={field} route={route} />
				))}
			</tr>
		</thead>
	);
}

/** A click on the heading of a sortable column sorts the list, ascending first. */
function HeadCell({ field, route }: { field: keyof Pet; route: AnimalsRoute | undefined }) {
	const { label, class: look = field } = columns[field];
	if (!route || (field !== "id" && field !== "name"))
		return (
			<th scope="col" class={look}>
				{label}
			</th>
		);
	const sort = sortOf(route);
	const isDescending = sort === `-${field}`;
	const order = isDescending ? "descending" : sort === field ? "ascending" : "none";
	return (
		<th scope="col" class={look} aria-sort={order}>
			<Button label={label} onClick={() => sortBy(route, sort === field ? `-${field}` : field)} />
		</th>
	);
}

export function sortBy(route: AnimalsRoute, sort: Sort): void {
	showFirst(route, { sort: sort === "-id" ? undefined : sort });
}

interface RowProps {
	pet: Pet;
	route: AnimalsRoute;
	editor: Editor | undefined;
	isOpen: boolean;
	isNewest: boolean;
}

/** A click anywhere in the row opens the animal. The link does the same for keyboards and screen readers. */
function Row({ pet, route, editor, isOpen, isNewest }: RowProps) {
	const id = String(pet.id);
	const isSelected = editor?.selection.has(id) ?? false;
	function open(event: TargetedMouseEvent<HTMLElement>): void {
		const isControl = event.target instanceof Element && event.target.closest(".pick, button") !== null;
		if (isControl || event.ctrlKey || event.metaKey) return;
		if (editor && event.shiftKey) {
			event.preventDefault();
			editor.selection.extend(id);
		} else if (!event.shiftKey && getSelection()?.type !== "Range") {
			event.preventDefault();
			showPet(route, id);
		}
	}
	return (
		<tr
			data-id={id}
			class={`${isOpen ? "on" : ""} ${isNewest ? "newest" : ""} ${isSelected ? "picked" : ""}`}
			onClick={open}
			// Shift selects animals, not text.
			onMouseDown={(event) => editor && event.shiftKey && event.preventDefault()}
		>
			{editor && <PickCell pet={pet} editor={editor} isSelected={isSelected} />}
			{fields.map((field) =>
				field === "name" ? (
					<th key={field} scope="row" class="name" dir="auto">
						<a href={hashOf({ ...route, id })} aria-current={isOpen ? "true" : undefined}>
							{pet.name}
						</a>
					</th>
				) : (
					<td key={field} class={columns[field].class}>
						<Fact field={field} pet={pet} editor={editor} isInRow />
					</td>
				),
			)}
		</tr>
	);
}

function PickCell({ pet, editor: { selection }, isSelected }: { pet: Pet; editor: Editor; isSelected: boolean }) {
	const id = String(pet.id);
	return (
		<td class="pick">
			<label>
				<input
					type="checkbox"
					aria-label={`Select ${pet.name}`}
					checked={isSelected}
					onClick={({ shiftKey }) => (shiftKey ? selection.extend(id) : selection.toggle(id))}
				/>
			</label>
		</td>
	);
}

/** Takes the place of the table until the first reply, so that nothing moves when the reply arrives. */
export function SkeletonTable({ rows }: { rows: number }) {
	return (
		<table aria-hidden="true" class="skeleton">
			<Head />
			<tbody>
				{Array.from({ length: rows }, (_, index) => (
					<tr key={index}>
						{fields.map((field) => (
							<td key={field} class={columns[field].class}>
								<i class={field} />
							</td>
						))}
					</tr>
				))}
			</tbody>
		</table>
	);
}
