// Animals as rows of a table. A name is text in any script and of any length, never markup.

import type { ComponentChildren } from "preact";
import type { Int64 } from "../../client/src/index.ts";
import type { Pet } from "../../src/contract/pet.ts";
import { type AnimalsRoute, hashOf, replaceRoute } from "./route.ts";

interface PetTableProps {
	pets: Pet[];
	/** The animal whose id is in it is selected. */
	route: AnimalsRoute;
	/** The animal that was added a moment ago. */
	newest: Pet | undefined;
	isPending: boolean;
}

export function PetTable({ pets, route, newest, isPending }: PetTableProps) {
	return (
		<table aria-busy={isPending}>
			<caption class="hidden">Animals by ascending id</caption>
			<Head />
			<tbody>
				{pets.map((pet) => (
					<Row
						key={String(pet.id)}
						pet={pet}
						route={route}
						isSelected={String(pet.id) === route.id}
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

/** Every field of an animal has a column; the panel shows the same. */
export const columns: Record<keyof Pet, Column> = {
	id: { label: "Id", class: "n", cell: (pet) => <Digits of={pet.id} /> },
	name: { label: "Name", cell: (pet) => pet.name },
	categoryId: { label: "Category", class: "n category", cell: (pet) => <Digits of={pet.categoryId} /> },
	status: { label: "Status", class: "state", cell: (pet) => <Status status={pet.status} /> },
};
const fields = Object.keys(columns) as (keyof Pet)[];

function Head() {
	return (
		<thead>
			<tr>
				{Object.values(columns).map((column) => (
					<th key={column.label} scope="col" class={column.class}>
						{column.label}
					</th>
				))}
			</tr>
		</thead>
	);
}

interface RowProps {
	pet: Pet;
	route: AnimalsRoute;
	isSelected: boolean;
	isNewest: boolean;
}

/** The link in the row is for keyboards and screen readers; a click anywhere in the row does the same. */
function Row({ pet, route, isSelected, isNewest }: RowProps) {
	const to: AnimalsRoute = { ...route, id: String(pet.id) };
	return (
		<tr
			class={`${isSelected ? "on" : ""} ${isNewest ? "newest" : ""}`}
			onClick={(event) => {
				if (event.ctrlKey || event.metaKey || event.shiftKey || getSelection()?.type === "Range") return;
				event.preventDefault();
				replaceRoute(to);
			}}
		>
			{fields.map((field) =>
				field === "name" ? (
					<th key={field} scope="row" class="name" dir="auto">
						<a href={hashOf(to)} aria-current={isSelected ? "true" : undefined}>
							{pet.name}
						</a>
					</th>
				) : (
					<td key={field} class={columns[field].class}>
						{columns[field].cell(pet)}
					</td>
				),
			)}
		</tr>
	);
}

/** Takes the place of the table until the first reply, so that nothing moves when that arrives. */
export function SkeletonTable({ rows }: { rows: number }) {
	return (
		<table aria-hidden="true" class="skeleton">
			<Head />
			<tbody>
				{Array.from({ length: rows }, (_, index) => (
					<tr key={index}>
						{fields.map((field) => (
							<td key={field} class={columns[field].class}>
								<i class={field === "name" ? `w${index % 4}` : undefined} />
							</td>
						))}
					</tr>
				))}
			</tbody>
		</table>
	);
}

/** A long number may wrap, a short one may not. */
export function Digits({ of }: { of: Int64 }) {
	const parts = String(of).match(/.{1,7}/g) ?? [];
	return parts.flatMap((part, index) => (index === 0 ? part : [<wbr key={index} />, part]));
}

export function Status({ status }: { status: Pet["status"] }) {
	return <span class={`pill ${status ?? "none"}`}>{status ?? "not set"}</span>;
}
