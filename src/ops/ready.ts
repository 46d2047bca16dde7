// Readiness: the service is not stopping, and its store reads and writes.

import { ApiError } from "../contract/errors.ts";
import type { Store } from "../store/store.ts";

/** @throws ApiError `shutting_down` or `storage_unavailable` */
export function createReadyCheck(
	store: Pick<Store, "check">,
	isStopping: () => boolean,
	timeoutMs = 2000,
): () => Promise<void> {
	return async () => {
		if (isStopping()) throw new ApiError("shutting_down", "the service is stopping", 1);
		const late = Promise.withResolvers<never>();
		const timer = setTimeout(() => late.reject(new Error("the store does not answer")), timeoutMs);
		try {
			await Promise.race([store.check(), late.promise]);
		} catch {
			throw new ApiError("storage_unavailable", "the store does not read or write", 1);
		} finally {
			clearTimeout(timer);
		}
	};
}
