// Shows one animal by its id, and when the deprecated operation behind it will be removed.

import type { TargetedSubmitEvent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../../client/src/index.ts";
import { getPetDeprecation, sunsetDay } from "../../src/contract/deprecation.ts";
import { FailureNote, Waiting } from "./notes.tsx";
import { PetDetails } from "./pet-table.tsx";
import { type AnimalsRoute, go, isInteger } from "./route.ts";
import type { Session } from "./session.ts";
import { useRequest } from "./use-request.ts";

export function LookUp({ session, route }: { session: Session; route: AnimalsRoute }) {
	const { id } = route;
	const field = useRef<HTMLInputElement>(null);
	const [isWrong, setIsWrong] = useState(false);
	const request = useRequest(
		async (signal) => (id === undefined ? undefined : session.store.getPet(BigInt(id), { signal })),
		[session, id],
	);
	useKey("/", () => field.current?.focus());
	useEffect(() => {
		if (field.current) field.current.value = id ?? "";
	}, [id]);

	function submit(event: TargetedSubmitEvent<HTMLFormElement>): void {
		event.preventDefault();
		const text = field.current?.value.trim() ?? "";
		const isUsable = text === "" || isInteger(text);
		setIsWrong(!isUsable);
		if (!isUsable) field.current?.focus();
		else if (text === id) request.reload();
		else go({ ...route, id: text });
	}

	return (
		<section class="card" aria-labelledby="look-up-heading">
			<h2 id="look-up-heading">Look up</h2>
			<form method="post" noValidate onSubmit={submit}>
				<label for="look-up">
					Id of an animal <kbd>/</kbd>
				</label>
				<div class="row">
					<input
						id="look-up"
						inputMode="numeric"
						autocomplete="off"
						aria-keyshortcuts="/"
						aria-invalid={isWrong}
						aria-describedby="look-up-problem look-up-hint"
						ref={field}
					/>
					<button type="submit">Look up</button>
				</div>
				<p id="look-up-problem" class="problem" role="alert">
					{isWrong && "An id is a whole number, such as 7."}
				</p>
			</form>
			<Waiting isPending={request.isPending && id !== undefined} />
			{request.failure !== undefined && (
				<FailureNote
					title={`Animal ${id} is not shown`}
					failure={request.failure}
					onRetry={isFinal(request.failure) ? undefined : request.reload}
				/>
			)}
			<div role="status">{request.value && <PetDetails pet={request.value} />}</div>
			<p id="look-up-hint" class="quiet">
				Look-up by id will be removed on {sunsetDay(getPetDeprecation)}. The list with its status filter stays.
			</p>
		</section>
	);
}

function isFinal(failure: unknown): boolean {
	return failure instanceof ApiError && (failure.code === "pet_not_found" || failure.code === "operation_removed");
}

/** Calls `act` when the key is pressed outside a field. */
function useKey(pressed: string, act: () => void): void {
	useEffect(() => {
		const listen = (event: KeyboardEvent) => {
			const isTyping = event.target instanceof Element && event.target.matches("input, select, textarea");
			if (event.key !== pressed || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
			event.preventDefault();
			act();
		};
		addEventListener("keydown", listen);
		return () => removeEventListener("keydown", listen);
	}, [pressed]);
}
