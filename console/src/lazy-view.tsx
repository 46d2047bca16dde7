// Loads a view when it is first opened, so that the first page needs little.

import type { ComponentType } from "preact";
import { FailureNote, Heading, Waiting } from "./notes.tsx";
import { useRequest } from "./use-request.ts";

interface LazyViewProps<P> {
	title: string;
	load(): Promise<ComponentType<P>>;
	props: P;
}

export function LazyView<P extends object>({ title, load, props }: LazyViewProps<P>) {
	// Wrapped, because a state setter would call a function.
	const { value, failure, isPending, reload } = useRequest(async () => ({ View: await load() }), []);
	const View = value?.View;
	return (
		<main id="main" class="view">
			<Heading>{title}</Heading>
			{failure !== undefined && (
				<FailureNote title="This view could not be loaded" onRetry={reload}>
					<p>Check that the server runs and that you are connected. If it was updated meanwhile, reload the page.</p>
				</FailureNote>
			)}
			{View ? <View {...props} /> : <Waiting isPending={isPending} />}
		</main>
	);
}
