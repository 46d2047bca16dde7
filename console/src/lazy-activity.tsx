// Loads the Activity view when it is opened first: with its plots it is more than all the rest of the console.

import { useAsked } from "./asked.ts";
import { FailureNote, Heading, Waiting } from "./notes.tsx";
import type { History } from "./rates.ts";
import type { Session } from "./session.ts";

export function LazyActivity(props: { session: Session; history: History }) {
	const {
		value: Activity,
		failure,
		isPending,
		again,
	} = useAsked(() => import("./activity.tsx").then((part) => part.Activity), []);
	return (
		<main id="main">
			<Heading>Activity</Heading>
			{failure !== undefined && (
				<FailureNote title="This view could not be loaded" failure={failure} again={again}>
					<p>Check that the server runs and that you are connected. If it was updated meanwhile, reload the page.</p>
				</FailureNote>
			)}
			{Activity ? <Activity {...props} /> : <Waiting isPending={isPending} />}
		</main>
	);
}
