// Batches the reads of one tick of the event loop. Equal reads share a result, which is never older than the requests.

/**
 * @param nameOf returns the same value for requests that share a result
 * @param execute receives the distinct requests of a tick and returns their results in the same order; a result that is
 * a rejected promise rejects only its own request
 */
export function createTickBatch<Request, Result>(
	nameOf: (request: Request) => unknown,
	execute: (requests: Request[]) => Promise<Result[]>,
): (request: Request) => Promise<Result> {
	let pending = new Map<unknown, { request: Request; deferred: PromiseWithResolvers<Result> }>();

	function send(): void {
		const batch = [...pending.values()];
		pending = new Map();
		void execute(batch.map(({ request }) => request)).then(
			(results) => {
				for (const [index, { deferred }] of batch.entries()) deferred.resolve(results[index] as Result);
			},
			(error) => {
				for (const { deferred } of batch) deferred.reject(error);
			},
		);
	}

	return (request) => {
		const name = nameOf(request);
		const earlier = pending.get(name);
		if (earlier) return earlier.deferred.promise;
		if (pending.size === 0) setImmediate(send);
		const deferred = Promise.withResolvers<Result>();
		pending.set(name, { request, deferred });
		return deferred.promise;
	};
}
