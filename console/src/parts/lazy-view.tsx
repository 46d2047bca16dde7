// Views, and parts of views, that are loaded later than the first page.

import type { ComponentType } from "preact";
import { later } from "./later.ts";
import { FailureNote, Heading, Waiting } from "./notes.tsx";
import { useRequest } from "./use-request.ts";

interface Lazy<P> {
	load(): Promise<ComponentType<P>>;
	/** Absent until it is loaded. */
	View?: ComponentType<P>;
}

/** A component that is loaded later. Call this once for each such component, outside all components. */
export function lazy<P>(load: () => Promise<ComponentType<P>>): Lazy<P> {
	const part: Lazy<P> = {
		load: later(async () => {
			part.View = await load();
			return part.View;
		}),
	};
	return part;
}

interface LazyProps<P> {
	part: Lazy<P>;
	props: P;
}

function useLoaded<P>(part: Lazy<P>) {
	const { failure, isPending } = useRequest(
		() => Promise.resolve(part.View ?? part.load()).then(() => undefined),
		[part],
	);
	return { View: part.View, failure, isPending };
}

/** If a script could not be loaded, browsers do not try again until the page is reloaded. */
function NotLoaded({ title }: { title: string }) {
	return (
		<FailureNote title={title} onRetry={() => location.reload()} retryLabel="Reload the page">
			<p>Check that the server runs and that you are connected.</p>
		</FailureNote>
	);
}

export function LazyView<P extends object>({ title, part, props }: LazyProps<P> & { title: string }) {
	const { View, failure, isPending } = useLoaded(part);
	return (
		<main id="main" class="view">
			<Heading>{title}</Heading>
			{View === undefined && failure !== undefined && <NotLoaded title="This view could not be loaded" />}
			{View ? <View {...props} /> : <Waiting isPending={isPending} />}
		</main>
	);
}

/** A part of a view, shown once it is loaded. */
export function LazyPart<P extends object>({ part, props }: LazyProps<P>) {
	const { View, failure } = useLoaded(part);
	if (View) return <View {...props} />;
	return failure === undefined ? null : <NotLoaded title="This part could not be loaded" />;
}
