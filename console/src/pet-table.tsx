// Animals as rows of a table. A name is text in any script and of any length, never markup.

import type { ComponentChildren, TargetedMouseEvent } from "preact";
import { useContext } from "preact/hooks";
import type { Int64 } from "../../client/src/index.ts";
import type { Sort } from "../../src/contract/console.ts";
import type { Pet } from "../../src/contract/pet.ts";
import { Button, Opener } from "./button.tsx";
import { CategoriesContext } from "./categories.ts";
import { type AnimalsRoute, hashOf, showFirst, showPet } from "./route.ts";
import type { Desk } from "./use-desk.ts";

interface PetTableProps {
	pets: Pet[];
	/** The route, which has the id of the open animal. */
	route: AnimalsRoute;
	/** Absent if the key may not edit. */
	desk: Desk | undefined;
	/** The animal that was just added. */
	newest: Pet | undefined;
	isPending: boolean;
}

export function PetTable({ pets, route, desk, newest, isPending }: PetTableProps) {
	return (
		<table aria-busy={isPending} class={desk?.selection.isShown ? "selecting" : ""}>
			<caption class="hidden">Animals {sortings[route.sort ?? "id"]}</caption>
			<Head desk={desk} route={route} />
			<tbody>
				{pets.map((pet) => (
					<Row
						key={String(pet.id)}
						pet={pet}
						route={route}
						desk={desk}
						isOpen={String(pet.id) === route.id}
						isNewest={pet.id === newest?.id}
					/>
				))}
			</tbody>
		</table>
	);
}

interface Column {
	label: string;
	class?: string;
	cell(pet: Pet): ComponentChildren;
}

/** Every field of an animal has a column. A narrow window's panel covers the last columns, but shows all fields. */
export const columns: Record<keyof Pet, Column> = {
	id: { label: "Id", class: "n", cell: (pet) => <Digits of={pet.id} /> },
	name: { label: "Name", cell: (pet) => pet.name },
	status: { label: "Status", class: "state", cell: (pet) => <Status status={pet.status} /> },
	categoryId: { label: "Category", class: "category", cell: (pet) => <CategoryName of={pet.categoryId} /> },
};
const fields = Object.keys(columns) as (keyof Pet)[];

export const sortings: Record<Sort, string> = {
	id: "by ascending id",
	"-id": "newest first",
	name: "by name",
	"-name": "by name, from Z to A",
};

function Head({ desk, route }: { desk?: Desk | undefined; route?: AnimalsRoute }) {
	const { pets = [], selection } = desk ?? {};
	const isAll = selection !== undefined && pets.length > 0 && selection.pets.length === pets.length;
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
	const { sort = "id" } = route;
	const isDescending = sort === `-${field}`;
	const order = isDescending ? "descending" : sort === field ? "ascending" : "none";
	return (
		<th scope="col" class={look} aria-sort={order}>
			<Button label={label} onClick={() => sortBy(route, sort === field ? `-${field}` : field)} />
		</th>
	);
}

export function sortBy(route: AnimalsRoute, sort: Sort): void {
	showFirst(route, { sort: sort === "id" ? undefined : sort });
}

interface RowProps {
	pet: Pet;
	route: AnimalsRoute;
	desk: Desk | undefined;
	isOpen: boolean;
	isNewest: boolean;
}

/** A click anywhere in the row opens the animal. The link does the same for keyboards and screen readers. */
function Row({ pet, route, desk, isOpen, isNewest }: RowProps) {
	const id = String(pet.id);
	const isSelected = desk?.selection.has(id) ?? false;
	function open(event: TargetedMouseEvent<HTMLElement>): void {
		const isControl = event.target instanceof Element && event.target.closest(".pick, button") !== null;
		if (isControl || event.ctrlKey || event.metaKey) return;
		if (desk && event.shiftKey) {
			event.preventDefault();
			desk.selection.extend(id);
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
			onMouseDown={(event) => desk && event.shiftKey && event.preventDefault()}
		>
			{desk && <PickCell pet={pet} desk={desk} isSelected={isSelected} />}
			{fields.map((field) =>
				field === "name" ? (
					<th key={field} scope="row" class="name" dir="auto">
						<a href={hashOf({ ...route, id })} aria-current={isOpen ? "true" : undefined}>
							{pet.name}
						</a>
					</th>
				) : (
					<td key={field} class={columns[field].class}>
						<Fact field={field} pet={pet} desk={desk} isInRow />
					</td>
				),
			)}
		</tr>
	);
}

function PickCell({ pet, desk: { selection }, isSelected }: { pet: Pet; desk: Desk; isSelected: boolean }) {
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

/** Digits that may wrap if the number is long. */
export function Digits({ of }: { of: Int64 }) {
	const parts = String(of).match(/.{1,7}/g) ?? [];
	return parts.flatMap((part, index) => (index === 0 ? part : [<wbr key={index} />, part]));
}

export function Status({ status }: { status: Pet["status"] }) {
	return <span class={`pill ${status ?? "none"}`}>{status ?? "not set"}</span>;
}

/** The name and the number of a category, or only the number. */
export function CategoryName({ of }: { of: Int64 }) {
	const name = useContext(CategoriesContext).nameOf(of);
	if (name === undefined) return <Digits of={of} />;
	return (
		<>
			<span dir="auto">{name}</span>{" "}
			<small class="soft num">
				<Digits of={of} />
			</small>
		</>
	);
}

interface FactProps {
	field: keyof Pet;
	pet: Pet;
	desk: Desk | undefined;
	isInRow?: boolean;
}

/** A field of an animal. The status and the category are shown as buttons that open a menu to change them. */
export function Fact({ field, pet, desk, isInRow = false }: FactProps) {
	const { nameOf } = useContext(CategoriesContext);
	const cell = columns[field].cell(pet);
	if (!desk || (field !== "status" && field !== "categoryId")) return cell;
	const isStatus = field === "status";
	const what = isStatus ? field : "category";
	const category = [nameOf(pet.categoryId), pet.categoryId].filter((part) => part !== undefined).join(" ");
	const text = isStatus ? (pet.status ?? "not set") : category;
	return (
		<Opener
			opens={isStatus ? "menu" : "dialog"}
			class={isStatus ? `pill ${pet.status ?? "none"}` : "quiet"}
			label={isStatus ? text : cell}
			data-edits={what}
			// Keeps the number of tab stops per row low: `c` and the panel also change the category.
			tabIndex={isInRow && !isStatus ? -1 : undefined}
			aria-label={`${columns[field].label} of ${pet.name}: ${text}`}
			open={(anchor) => desk.ask(what, [pet], anchor)}
		/>
	);
}

/** @param columns the headings and their classes */
export function TableHead({ columns }: { columns: Record<string, string> }) {
	return (
		<thead>
			<tr>
				{Object.entries(columns).map(([label, look]) => (
					<th key={label} scope="col" class={look}>
						{label}
					</th>
				))}
			</tr>
		</thead>
	);
}
