// Shows a category by its name, in every view.

import { useContext } from "preact/hooks";
import type { Int64 } from "../../../client/src/index.ts";
import { Digits } from "../parts/cells.tsx";
import { CategoriesContext } from "./categories.ts";

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
