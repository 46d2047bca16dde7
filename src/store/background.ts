// Background work: no request waits for it. A failure is reported, and the work is retried later.

/** The tasks' names in the service's log and metrics. */
export const backgroundTasks = ["key use", "sweep", "probe", "backup"] as const;
export type BackgroundTask = (typeof backgroundTasks)[number];

export type Background = ReturnType<typeof createBackground>;

/** @param onFailure `isFirst` is true if the task's previous run did not fail */
export function createBackground(
	onFailure: (task: BackgroundTask, error: unknown, isFirst: boolean) => void = () => {},
) {
	const failing = new Set<BackgroundTask>();

	/** Does the work once. Never rejects. @returns whether it succeeded */
	async function run(task: BackgroundTask, work: () => Promise<unknown>): Promise<boolean> {
		try {
			await work();
			failing.delete(task);
			return true;
		} catch (error) {
			onFailure(task, error, !failing.has(task));
			failing.add(task);
			return false;
		}
	}

	return {
		run,
		/**
		 * Repeats the work, but never starts it while it is still under way.
		 * @returns a function that ends the repetition, and resolves when the last run has ended
		 */
		repeat(task: BackgroundTask, everyMs: number, work: () => Promise<unknown>): () => Promise<void> {
			let running: Promise<unknown> | undefined;
			const timer = setInterval(() => {
				running ??= run(task, work).finally(() => {
					running = undefined;
				});
			}, everyMs).unref();
			return async () => {
				clearInterval(timer);
				await running;
			};
		},
	};
}
