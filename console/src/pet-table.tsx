// Shows animals as rows of a table, or one alone. A name is text in any script and of any length, never markup.

import type { Int64, Pet } from "../../client/src/index.ts";

interface PetTableProps {
	pets: Pet[];
	/** The animal that was added a moment ago. */
	newest: Pet | undefined;
	isPending: boolean;
}

export function PetTable({ pets, newest, isPending }: PetTableProps) {
	return (
		<table aria-busy={isPending}>
			<caption class="hidden">Animals by ascending id</caption>
			<thead>
				<tr>
					<th scope="col" class="number">
						Id
					</th>
					<th scope="col">Name</th>
					<th scope="col" class="number">
						Category
					</th>
					<th scope="col">Status</th>
				</tr>
			</thead>
			<tbody>
				{pets.map((pet) => (
					<tr key={String(pet.id)} class={pet.id === newest?.id ? "newest" : ""}>
						<td class="number">
							<Digits of={pet.id} />
						</td>
						<th scope="row" class="name" dir="auto">
							{pet.name}
						</th>
						<td class="number">
							<Digits of={pet.categoryId} />
						</td>
						<td>
							<Status pet={pet} />
						</td>
					</tr>
				))}
			</tbody>
		</table>
	);
}

export function PetDetails({ pet }: { pet: Pet }) {
	return (
		<dl>
			<dt>Id</dt>
			<dd class="digits">{String(pet.id)}</dd>
			<dt>Name</dt>
			<dd class="name" dir="auto">
				{pet.name}
			</dd>
			<dt>Category</dt>
			<dd class="digits">{String(pet.categoryId)}</dd>
			<dt>Status</dt>
			<dd>
				<Status pet={pet} />
			</dd>
		</dl>
	);
}

/** A long number may wrap, a short one may not. */
function Digits({ of }: { of: Int64 }) {
	const parts = String(of).match(/.{1,7}/g) ?? [];
	return parts.flatMap((part, index) => (index === 0 ? part : [<wbr key={index} />, part]));
}

function Status({ pet: { status } }: { pet: Pet }) {
	return <span class={`status ${status ?? "none"}`}>{status ?? "not set"}</span>;
}
