// Makes an import the state of a component, so that the component is rendered again when the import changes.

import { useLayoutEffect, useState } from "preact/hooks";
import type { Job, JobState } from "./add-rows.ts";

export function useJob(job: Job): JobState {
	const [state, setState] = useState(job.state);
	useLayoutEffect(() => {
		const update = () => setState(job.state);
		update();
		job.watchers.add(update);
		return () => job.watchers.delete(update);
	}, [job]);
	return state;
}
