// The parts of cells and headings that several tables show.

import type { Int64 } from "../../../client/src/index.ts";
import type { Pet } from "../../../src/contract/pet.ts";

/** Digits that may wrap if the number is long. */
export function Digits({ of }: { of: Int64 }) {
	const parts = String(of).match(/.{1,7}/g) ?? [];
	return parts.flatMap((part, index) => (index === 0 ? part : [<wbr key={index} />, part]));
}

export function Status({ status }: { status: Pet["status"] }) {
	return <span class={`pill ${status ?? "none"}`}>{status ?? "not set"}</span>;
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
