// Loads a view, or a part of a view, when it is first shown, so that the first page loads little.

import type { ComponentType } from "preact";
import { FailureNote, Heading, Waiting } from "./notes.tsx";
import { type RequestState, useRequest } from "./use-request.ts";

interface LazyProps<P> {
	/** Must be the same function for the same part. */
	load(): Promise<ComponentType<P>>;
	props: P;
}

/** The loaded parts, by the function that loads them. */
const loaded = new WeakMap<object, unknown>();

function useLoaded<P>(load: () => Promise<ComponentType<P>>): RequestState<{ View: ComponentType<P> }> {
	// The component is wrapped in an object, because a state setter would call a bare function.
	const request = useRequest(async () => {
		const View = await load();
		loaded.set(load, View);
		return { View };
	}, [load]);
	const known = loaded.get(load) as ComponentType<P> | undefined;
	return known ? { ...request, value: { View: known }, isPending: false } : request;
}

/** If a script could not be loaded, browsers do not try again until the page is reloaded. */
function NotLoaded({ title }: { title: string }) {
	return (
		<FailureNote title={title} onRetry={() => location.reload()} retryLabel="Reload the page">
			<p>Check that the server runs and that you are connected.</p>
		</FailureNote>
	);
}

export function LazyView<P extends object>({ title, load, props }: LazyProps<P> & { title: string }) {
	const { value, failure, isPending } = useLoaded(load);
	const View = value?.View;
	return (
		<main id="main" class="view">
			<Heading>{title}</Heading>
			{failure !== undefined && <NotLoaded title="This view could not be loaded" />}
			{View ? <View {...props} /> : <Waiting isPending={isPending} />}
		</main>
	);
}

/** A part of a view, shown once it is loaded. */
export function LazyPart<P extends object>({ load, props }: LazyProps<P>) {
	const { value, failure } = useLoaded(load);
	const View = value?.View;
	if (View) return <View {...props} />;
	return failure === undefined ? null : <NotLoaded title="This part could not be loaded" />;
}
