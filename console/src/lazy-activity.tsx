// Loads the Activity view when it is first opened: with its plots it is larger than the rest of the console.

import { FailureNote, Heading, Waiting } from "./notes.tsx";
import type { History } from "./rates.ts";
import type { Session } from "./session.ts";
import { useRequest } from "./use-request.ts";

export function LazyActivity(props: { session: Session; history: History }) {
	const {
		value: Activity,
		failure,
		isPending,
		reload,
	} = useRequest(() => import("./activity.tsx").then((part) => part.Activity), []);
	return (
		<main id="main">
			<Heading>Activity</Heading>
			{failure !== undefined && (
				<FailureNote title="This view could not be loaded" failure={failure} onRetry={reload}>
					<p>Check that the server runs and that you are connected. If it was updated meanwhile, reload the page.</p>
				</FailureNote>
			)}
			{Activity ? <Activity {...props} /> : <Waiting isPending={isPending} />}
		</main>
	);
}
