// What an empty store shows: three ways to begin, side by side.

import { curlForFirst, inLines } from "../../../src/contract/curl.ts";
import { Button } from "../parts/button.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { root } from "../parts/root.ts";

export function EmptyStore({ mayAdd, onAdd }: { mayAdd: boolean; onAdd(): void }) {
	if (!mayAdd) return <p class="empty">There are no animals yet.</p>;
	const curl = inLines(curlForFirst(`${root}/v1/pets`));
	return (
		<section class="ways" aria-label="There are no animals yet">
			<div class="stack">
				<h2>Add the first one</h2>
				<p class="soft">A name, a category and a status.</p>
				<Button label="Add the first animal" onClick={onAdd} />
			</div>
			<div class="stack">
				<h2>Bring a file</h2>
				<p class="soft">A workbook (.xlsx), CSV, JSON or NDJSON.</p>
				<a class="button" href="#/add-many">
					Drop or paste a file
				</a>
			</div>
			<div class="stack">
				<h2>Send a request</h2>
				<pre class="wrap">{curl}</pre>
				<CopyButton label="Copy curl" text={curl} />
			</div>
		</section>
	);
}
