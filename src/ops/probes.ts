// The probes. Readiness: this node can answer reads. Liveness: no restart is needed. Only the body shows whether
// animals can be added. If the status did, a load balancer would remove the node, and its reads would stop, too.

import { ApiError } from "../contract/errors.ts";
import type { Store } from "../store/store.ts";

/** Empty until the store is open. */
export interface ProbeSources {
	store?: Pick<Store, "getPet" | "writeState" | "checkWrites">;
}

/** Waits for the store's work. @throws Error if the work takes longer than `timeoutMs` */
export async function inTime(work: Promise<unknown>, timeoutMs = 2000): Promise<void> {
	const late = Promise.withResolvers<never>();
	const timer = setTimeout(() => late.reject(new Error("the store does not answer")), timeoutMs);
	await Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}

/** @param timeoutMs how long a read may take, and how long a write */
export function createProbes(sources: () => ProbeSources, isStopping: () => boolean, timeoutMs?: number) {
	return {
		/** @throws ApiError `shutting_down` or `storage_unavailable` */
		async ready() {
			const { store } = sources();
			if (isStopping()) throw new ApiError("shutting_down");
			if (!store) throw new ApiError("storage_unavailable", "the store is not open");
			const work = [store.getPet(1n), store.checkWrites()];
			const [read] = await Promise.allSettled(work.map((each) => inTime(each, timeoutMs)));
			if (read?.status === "rejected") throw new ApiError("storage_unavailable", "the store cannot be read");
			return { status: "ok", writes: store.writeState() };
		},
		/** @throws ApiError `storage_unavailable` when no animal can be added until a restart */
		live() {
			const writes = sources().store?.writeState() ?? "failing";
			if (writes !== "stopped") return { status: "ok", writes };
			throw new ApiError("storage_unavailable", "no animal can be added until the service is restarted");
		},
	};
}
